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

/** How much audio a round has: the kernel counts CPU in hundredths of a second. */
interface Amount {
  readonly seconds: number;
  readonly requests: number;
  /** How many of the requests one contestant gets before the next one has its turn; by default all. */
  readonly atOnce?: number;
}

/** How much is measured. */
export interface AudioPlan {
  readonly rounds: number;
  readonly speech: Amount;
  /** Encoding costs so much more that less is enough. */
  readonly encoded: Amount;
  readonly recording: Amount;
  /** For what each request adds. */
  readonly short: Amount;
  readonly shortRounds: number;
  readonly uploadMegabytes: number;
  readonly longSeconds: number;
}

export const fullAudioPlan: AudioPlan = {
  rounds: 7,
  speech: { seconds: 600, requests: 4 },
  encoded: { seconds: 60, requests: 1 },
  recording: { seconds: 60, requests: 24 },
  // The times are differences of about a millisecond: what slows one contestant has to slow all.
  short: { seconds: 1, requests: 40, atOnce: 1 },
  shortRounds: 15,
  uploadMegabytes: 100,
  // Of the longest text.
  longSeconds: 2_400,
};

const little: Amount = { seconds: 1, requests: 1 };

export const onceAudioPlan: AudioPlan = {
  rounds: 1,
  speech: little,
  encoded: little,
  recording: little,
  short: little,
  shortRounds: 1,
  uploadMegabytes: 1,
  longSeconds: 10,
};

/** Set by the first two runs on a quiet machine, with about 15% to spare. */
const bounds = {
  wav: { must: 3 },
  opus: { must: 195 },
  mp3: { must: 68 },
  firstByte: { must: 4.5 },
  transcription: { must: 8.5 },
  transcriptionTime: { must: 7 },
  uploadMegabytes: { must: 13 },
  longMegabytes: { must: 13 },
} as const satisfies Record<string, Bound>;

/** The function and the proxy in front of the same model, and the model itself. */
interface Contest {
  readonly ours: Gateway;
  readonly proxy: Gateway;
  readonly direct: LoadTarget;
}

/** A request to all of them. */
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

/** The rounds of each contestant: the function, the proxy, the model itself. */
interface Measurement {
  readonly seconds: number;
  readonly ours: readonly Round[];
  readonly proxys: readonly Round[];
  readonly directs: readonly Round[];
}

/** A round of its turns. */
const joinTurns = (turns: readonly Round[]): Round => ({
  cpuMicroseconds: turns.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0) / turns.length,
  firstByteMilliseconds: median(turns.map((turn) => turn.firstByteMilliseconds)),
  milliseconds: median(turns.map((turn) => turn.milliseconds)),
});

/** Asks all of them in each round, in random order. The first round warms up. */
const measure = async (
  { ours, proxy, direct }: Contest,
  question: Question,
  { seconds, requests, atOnce = requests }: Amount,
  rounds: number,
): Promise<Measurement> => {
  const contestants = [ours, proxy, { target: direct, pid: 0 }].map((gateway) => ({
    gateway,
    turns: [] as Round[],
    rounds: [] as Round[],
  }));
  for (let round = 0; round <= rounds; round += 1) {
    for (let sent = 0; sent < requests; sent += atOnce) {
      for (const { gateway, turns } of shuffled(contestants)) {
        turns.push(await askOften(gateway, question, atOnce, gateway === ours));
      }
    }
    for (const contestant of contestants) {
      const one = joinTurns(contestant.turns.splice(0));
      if (round > 0) contestant.rounds.push(one);
    }
  }
  const [first, second, third] = contestants.map((one) => one.rounds);
  return { seconds, ours: first ?? [], proxys: second ?? [], directs: third ?? [] };
};

/** What the function alone takes for what the model cannot do. */
const measureOurs = async ({ ours }: Contest, question: Question, { requests }: Amount, rounds: number) => {
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round += 1)
    measured.push(await askOften(ours, question, requests, true));
  return measured.slice(1);
};

const perSecond = (rounds: readonly Round[], seconds: number): number[] =>
  rounds.map(({ cpuMicroseconds }) => cpuMicroseconds / seconds);

const cpuRow = (what: string, ours: readonly number[], proxys: readonly number[], bound: Bound): Row => ({
  what: `${what}: CPU a second of audio, to plain proxy`,
  measured: ratioOf(ours, proxys),
  bound,
  figures: `function ${median(ours).toFixed(0)}, plain proxy ${median(proxys).toFixed(0)} µs`,
});

const timeRow = (
  what: string,
  { ours, proxys, directs }: Measurement,
  figure: "firstByteMilliseconds" | "milliseconds",
  bound: Bound,
): Row => {
  const added = (rounds: readonly Round[]) =>
    rounds.map((round, index) => round[figure] - (directs[index]?.[figure] ?? Number.NaN));
  const [own, others] = [added(ours), added(proxys)];
  return {
    what: `${what}: time added, to plain proxy`,
    measured: ratioOf(own, others),
    bound,
    figures: `function ${median(own).toFixed(2)}, plain proxy ${median(others).toFixed(2)} ms beyond direct`,
  };
};

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
  const { rounds, speech, encoded, short, shortRounds } = plan;
  note("Speech as WAV.");
  const wav = await measure(contest, speechTo(speech.seconds, "wav"), speech, rounds);
  const proxys = perSecond(wav.proxys, speech.seconds);
  const rows = [cpuRow("speech as wav", perSecond(wav.ours, speech.seconds), proxys, bounds.wav)];
  for (const format of ["opus", "mp3"] as const) {
    note(`Speech as ${format}.`);
    const ours = await measureOurs(contest, speechTo(encoded.seconds, format), encoded, rounds);
    rows.push(cpuRow(`speech as ${format}`, perSecond(ours, encoded.seconds), proxys, bounds[format]));
  }
  note("Short speech.");
  const first = await measure(contest, speechTo(short.seconds, "wav"), short, shortRounds);
  rows.push(timeRow("first byte of speech", first, "firstByteMilliseconds", bounds.firstByte));
  note("A long speech.");
  const long = speechTo(plan.longSeconds, "wav").toFunction;
  const grown = await grownBy(contest.ours.pid, async () => {
    const { bytes } = await exchangeAudio(contest.ours.target, long, false);
    if (bytes < plan.longSeconds * bytesPerSecond) throw new Error(`Of the long speech ${bytes} bytes came.`);
  });
  return [...rows, memoryRow(`speech of ${plan.longSeconds / 60} minutes`, grown, bounds.longMegabytes)];
};

const measureTranscription = async (
  contest: Contest,
  plan: AudioPlan,
  prepared: PreparedService,
): Promise<Row[]> => {
  const { rounds, recording, short, shortRounds, uploadMegabytes } = plan;
  note("Transcription.");
  const { seconds } = recording;
  const { ours, proxys } = await measure(contest, transcriptionOf(seconds), recording, rounds);
  const times = await measure(contest, transcriptionOf(short.seconds), short, shortRounds);
  note("Transcription of an upload.");
  const fileId = await uploadRecording(prepared, uploadMegabytes);
  const long = form(Buffer.alloc(0), { file_id: fileId, language: "lug" }, "audio");
  const grown = await grownBy(contest.ours.pid, async () =>
    checkTranscript(await exchangeAudio(contest.ours.target, long)),
  );
  return [
    cpuRow("transcription", perSecond(ours, seconds), perSecond(proxys, seconds), bounds.transcription),
    timeRow("transcription", times, "milliseconds", bounds.transcriptionTime),
    memoryRow(`transcription of an hour, ${uploadMegabytes} MB`, grown, bounds.uploadMegabytes),
  ];
};

/** Measures the speech and the transcription function together with a plain proxy. Each response is compared with what the model said. */
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
