/** What speech and transcription cost, compared with a plain proxy in the same run. */
import * as z from "zod";
import { wavHeaderBytes } from "../../support/wav.ts";
import type { Cores, Gateway, PreparedService } from "../compare/gateways.ts";
import { prepareService, startPlainProxy } from "../compare/gateways.ts";
import { processCpu, residentMegabytes } from "../compare/kernel.ts";
import type { EventBody, LoadTarget } from "../compare/load-client.ts";
import { note } from "../compare/note.ts";
import { type Bound, measuredIn, type Row, ratioOf } from "../compare/verdict.ts";
import { stopProcess } from "../processes.ts";
import { median, shuffled } from "../statistics.ts";
import { type AudioResponse, exchangeAudio } from "./audio-client.ts";
import { bytesPerSecond, secondOfSpeech, textFor, transcript } from "./audio-model.ts";
import { uploadRecording } from "./upload-recording.ts";

/** How much is measured. */
export interface AudioPlan {
  readonly rounds: number;
  /** Requests of each round. */
  readonly requests: number;
  /** Of speech or of a recording in one request. */
  readonly seconds: number;
  readonly uploadMegabytes: number;
  readonly longSeconds: number;
}

export const fullAudioPlan: AudioPlan = {
  rounds: 7,
  requests: 6,
  seconds: 60,
  uploadMegabytes: 100,
  // Of the longest text.
  longSeconds: 2_400,
};

export const onceAudioPlan: AudioPlan = {
  rounds: 1,
  requests: 1,
  seconds: 5,
  uploadMegabytes: 1,
  longSeconds: 10,
};

/** Set by the first run on a quiet machine, with 15 % to spare. */
const bounds = {
  wav: { must: 4 },
  opus: { must: 60 },
  mp3: { must: 60 },
  firstByte: { must: 8 },
  transcription: { must: 8 },
  transcriptionTime: { must: 8 },
  uploadMegabytes: { must: 80 },
  hourMegabytes: { must: 60 },
} as const satisfies Record<string, Bound>;

/** The function and the proxy in front of the same model, and the model itself. */
interface Contest {
  readonly ours: Gateway;
  readonly proxy: Gateway;
  readonly direct: LoadTarget;
}

/** Something that is asked of all of them. */
interface Question {
  readonly toFunction: EventBody;
  readonly toModel: EventBody;
  /** @throws Error when it is not what the model said. */
  readonly check: (response: AudioResponse, isOurs: boolean) => void;
}

const asJson = (body: object): EventBody => ({ contentType: "application/json", body: JSON.stringify(body) });

const speechTo = (seconds: number, format: "wav" | "opus" | "mp3"): Question => {
  const text = textFor(seconds);
  const spoken = Buffer.concat(Array.from({ length: seconds }, () => secondOfSpeech));
  return {
    toFunction: asJson({ text, response_mode: "stream", audio_format: format }),
    toModel: asJson({ model: "mock", input: text, voice: "any" }),
    check: ({ body, bytes }, isOurs) => {
      const isWhole =
        format === "wav" || !isOurs ? body.subarray(-spoken.length).equals(spoken) : bytes > 500 * seconds;
      if (!isWhole)
        throw new Error(`The speech as ${format} is not what the model said: ${bytes} bytes came.`);
    },
  };
};

const boundary = "a-boundary-of-the-benchmark";

const form = (file: Buffer, fields: Readonly<Record<string, string>>, fileField: string): EventBody => {
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${fileField}"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
  const all = file.length > 0 ? [...parts, Buffer.from(head), file, Buffer.from("\r\n")] : parts;
  const body = Buffer.concat([...all, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
};

const said = z.object({ text: z.literal(transcript) });

const checkTranscript = ({ body }: AudioResponse): void => {
  said.parse(JSON.parse(body.toString()));
};

const transcriptionOf = (seconds: number): Question => {
  const audio = Buffer.concat(Array.from({ length: seconds }, () => secondOfSpeech));
  const file = Buffer.concat([wavHeaderBytes(audio.length, { stated: true }), audio]);
  return {
    toFunction: form(file, { language: "lug" }, "audio"),
    toModel: form(file, { model: "mock" }, "file"),
    check: checkTranscript,
  };
};

interface Round {
  readonly cpuMicroseconds: number;
  readonly firstByteMilliseconds: number;
  readonly milliseconds: number;
}

const askOften = async (
  { target, pid }: Pick<Gateway, "target" | "pid">,
  question: Question,
  requests: number,
  isOurs: boolean,
): Promise<Round> => {
  const responses: AudioResponse[] = [];
  const before = processCpu(pid) ?? Number.NaN;
  for (let sent = 0; sent < requests; sent += 1) {
    responses.push(await exchangeAudio(target, isOurs ? question.toFunction : question.toModel));
  }
  const cpu = (processCpu(pid) ?? Number.NaN) - before;
  for (const response of responses) question.check(response, isOurs);
  return {
    cpuMicroseconds: cpu / requests,
    firstByteMilliseconds: median(responses.map((response) => response.firstByteMilliseconds)),
    milliseconds: median(responses.map((response) => response.milliseconds)),
  };
};

/** Asks all of them in each round, in random order. The first round warms up. */
const measure = async ({ ours, proxy, direct }: Contest, question: Question, plan: AudioPlan) => {
  const contestants = [
    { gateway: ours, isOurs: true, rounds: [] as Round[] },
    { gateway: proxy, isOurs: false, rounds: [] as Round[] },
    { gateway: { target: direct, pid: 0 }, isOurs: false, rounds: [] as Round[] },
  ];
  for (let round = 0; round <= plan.rounds; round += 1) {
    for (const { gateway, isOurs, rounds } of shuffled(contestants)) {
      const measured = await askOften(gateway, question, plan.requests, isOurs);
      if (round > 0) rounds.push(measured);
    }
  }
  const of = (index: number, figure: keyof Round) =>
    contestants[index]?.rounds.map((round) => round[figure]) ?? [];
  const added = (index: number, figure: keyof Round) =>
    of(index, figure).map((time, round) => time - (of(2, figure)[round] ?? Number.NaN));
  return { cpu: [of(0, "cpuMicroseconds"), of(1, "cpuMicroseconds")] as const, added };
};

const cpuRow = (
  what: string,
  cpu: readonly [readonly number[], readonly number[]],
  seconds: number,
  bound: Bound,
): Row => {
  const perSecond = (times: readonly number[]) => (median(times) / seconds).toFixed(0);
  return {
    what: `${what}: CPU a second of audio, to plain proxy`,
    measured: ratioOf(...cpu),
    bound,
    figures: `function ${perSecond(cpu[0])}, plain proxy ${perSecond(cpu[1])} µs`,
  };
};

const timeRow = (what: string, ours: readonly number[], proxys: readonly number[], bound: Bound): Row => ({
  what: `${what}, to plain proxy`,
  measured: ratioOf(ours, proxys),
  bound,
  figures: `function ${median(ours).toFixed(2)}, plain proxy ${median(proxys).toFixed(2)} ms beyond direct`,
});

const targetOf = ({ token }: PreparedService, name: string, url: string): LoadTarget => ({
  name,
  url,
  headers: { Authorization: `Bearer ${token}` },
  model: "mock",
  takesEvents: true,
});

const withContest = async (
  prepared: PreparedService,
  cores: Cores,
  { feature, path }: { readonly feature: "speech" | "transcription"; readonly path: string },
  use: (contest: Contest) => Promise<Row[]>,
): Promise<Row[]> => {
  const started = await prepared.startFunction(feature);
  const proxy = await startPlainProxy(prepared.mock, cores.gateway, path);
  const direct = { name: "direct", url: `${prepared.mock.url}${path}`, headers: {}, model: "mock" };
  const ours = {
    ...started,
    target: targetOf(prepared, `${feature} function`, `${started.url}/tasks${path}`),
  };
  try {
    return await use({ ours, proxy, direct });
  } finally {
    await Promise.all([stopProcess(started), stopProcess(proxy)]);
  }
};

/** How much the memory of a process grows at most while it does something, in MB. */
const grownBy = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
  const before = residentMegabytes(pid) ?? Number.NaN;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid) ?? Number.NaN);
  }, 20);
  await work();
  clearInterval(timer);
  return Math.max(peak, residentMegabytes(pid) ?? Number.NaN) - before;
};

const memoryRow = (what: string, megabytes: number, bound: Bound): Row => ({
  what: `${what}: memory beyond that before it, MB`,
  measured: measuredIn([megabytes]),
  bound,
});

const measureSpeech = async (contest: Contest, plan: AudioPlan): Promise<Row[]> => {
  const { seconds } = plan;
  const rows: Row[] = [];
  for (const format of ["wav", "opus", "mp3"] as const) {
    note(`Speech as ${format}.`);
    const { cpu, added } = await measure(contest, speechTo(seconds, format), plan);
    rows.push(cpuRow(`speech as ${format}`, cpu, seconds, bounds[format]));
    if (format !== "wav") continue;
    const first = (index: number) => added(index, "firstByteMilliseconds");
    rows.push(timeRow("first byte of speech: time added", first(0), first(1), bounds.firstByte));
  }
  note("A long speech.");
  const long = speechTo(plan.longSeconds, "wav").toFunction;
  const grown = await grownBy(contest.ours.pid, async () => {
    const { bytes } = await exchangeAudio(contest.ours.target, long, false);
    if (bytes < plan.longSeconds * bytesPerSecond) throw new Error(`Of the long speech ${bytes} bytes came.`);
  });
  return [...rows, memoryRow(`speech of ${plan.longSeconds} seconds`, grown, bounds.hourMegabytes)];
};

const measureTranscription = async (
  contest: Contest,
  plan: AudioPlan,
  prepared: PreparedService,
): Promise<Row[]> => {
  note("Transcription.");
  const { cpu, added } = await measure(contest, transcriptionOf(plan.seconds), plan);
  const whole = (index: number) => added(index, "milliseconds");
  note("Transcription of an upload.");
  const fileId = await uploadRecording(prepared, plan.uploadMegabytes);
  const long = form(Buffer.alloc(0), { file_id: fileId, language: "lug" }, "audio");
  const grown = await grownBy(contest.ours.pid, async () =>
    checkTranscript(await exchangeAudio(contest.ours.target, long)),
  );
  return [
    cpuRow("transcription", cpu, plan.seconds, bounds.transcription),
    timeRow("transcription: time added", whole(0), whole(1), bounds.transcriptionTime),
    memoryRow(`transcription of an hour, ${plan.uploadMegabytes} MB`, grown, bounds.uploadMegabytes),
  ];
};

/** Measures the speech and the transcription function beside a plain proxy. Each response is compared with what the model said. */
export const compareAudio = async (cores: Cores, plan: AudioPlan): Promise<Row[]> => {
  const prepared = await prepareService(cores);
  try {
    const speech = { feature: "speech", path: "/audio/speech" } as const;
    const transcription = { feature: "transcription", path: "/audio/transcriptions" } as const;
    return [
      ...(await withContest(prepared, cores, speech, (contest) => measureSpeech(contest, plan))),
      ...(await withContest(prepared, cores, transcription, (contest) =>
        measureTranscription(contest, plan, prepared),
      )),
    ];
  } finally {
    await prepared.close();
  }
};
