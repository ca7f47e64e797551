import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectDirectory } from "../../../infra/bundling/bundle-options.ts";
import { errorRateOf, wordErrors } from "../../../infra/evaluation/scores/error-rate.ts";
import { monoHeader } from "../../../shared/audio/wav/mono-wav.ts";
import { withTemporaryDirectory } from "../../infra/synthesized-service.ts";
import { ApiClient, type CallOptions } from "../../support/api-client.ts";
import { withLocalService } from "../local-service.ts";
import { type Part, ToolMissing, type Verdict } from "../run-parts.ts";
import { type OtherServer, pythonEnvironment, startServer } from "../tools.ts";

const run = promisify(execFile);

const here = import.meta.dirname;
const environmentOf = (name: string) =>
  pythonEnvironment(`models-${name}`, join(here, `${name}-requirements.txt`));

/** What one question came to: what was seen, or what is wrong. */
interface Row {
  readonly question: string;
  readonly seen: string;
  readonly isFine: boolean;
}

/** What a group of questions may use. */
interface Used {
  readonly client: ApiClient;
  readonly token: string;
  readonly server: OtherServer;
}

type Question = (used: Used) => Promise<string>;

class Contradiction extends Error {}

const demand = (isTrue: boolean, otherwise: string): void => {
  if (!isTrue) throw new Contradiction(otherwise);
};

const askAll = async (questions: Readonly<Record<string, Question>>, used: Used): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const [question, ask] of Object.entries(questions)) {
    const row = await ask(used).then(
      (seen): Row => ({ question, seen, isFine: true }),
      (error: unknown): Row => ({ question, seen: String(error), isFine: false }),
    );
    process.stderr.write(`${row.isFine ? "ok  " : "NOT "} ${question}: ${row.seen}\n`);
    rows.push(row);
  }
  return rows;
};

const chat = ({ client, token }: Used, fields: object, options: CallOptions = {}) =>
  client.call("/v1/chat/completions", {
    token,
    body: { model: "lang-9b", max_tokens: 24, ...fields },
    ...options,
  });

const userSays = (content: string) => ({ messages: [{ role: "user", content }] });

const chatQuestions: Readonly<Record<string, Question>> = {
  "a chat": async (used) => {
    const { status, body } = await chat(used, userSays("Say hello."));
    demand(status === 200 && body.choices[0].message.content !== "", `${status} ${JSON.stringify(body)}`);
    return `${body.usage.completion_tokens} tokens`;
  },
  "a stream, token by token": async (used) => {
    const { status, body } = await chat(used, { ...userSays("Count to five."), stream: true });
    const events = String(body)
      .split("\n\n")
      .filter((event) => event.startsWith("data: {"));
    demand(status === 200 && events.length > 4 && String(body).includes("data: [DONE]"), String(body));
    return `${events.length} events`;
  },
  "a stream whose caller leaves": async (used) => {
    const { client, token, server } = used;
    const leave = new AbortController();
    const body = { model: "lang-9b", max_tokens: 1_500, stream: true, ...userSays("Tell a long story.") };
    const response = await client.request("/v1/chat/completions", { token, body, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    const latest = performance.now() + 30_000;
    for (;;) {
      const slots = await (await fetch(`${server.endpoint}/slots`)).json();
      if (Array.isArray(slots) && slots.every((slot) => slot.is_processing === false))
        return "the model stops";
      demand(performance.now() < latest, "the model continues");
    }
  },
  "a reply by a JSON schema": async (used) => {
    const schema = { type: "object", properties: { ripe: { type: "boolean" } }, required: ["ripe"] };
    const response_format = { type: "json_schema", json_schema: { name: "fruit", schema, strict: true } };
    const { status, body } = await chat(used, {
      ...userSays("Is it ripe?"),
      response_format,
      max_tokens: 400,
    });
    const { message, finish_reason: finish } = body.choices?.[0] ?? {};
    demand(status === 200 && String(message?.content).startsWith("{"), `${status} ${JSON.stringify(body)}`);
    if (finish === "stop") demand(typeof JSON.parse(message.content).ripe === "boolean", message.content);
    return finish === "stop" ? message.content : "an object, cut at the limit";
  },
  "a request that is too long": async (used) => {
    const { status, body } = await chat(used, userSays("word ".repeat(3_000)));
    const { code, context_tokens: context, prompt_tokens: prompt } = body.error ?? {};
    demand(status === 400 && code === "context_length_exceeded", `${status} ${JSON.stringify(body)}`);
    return `400 ${code}: ${prompt} of ${context} tokens`;
  },
  "a translation, which this base model cannot make": async ({ client, token }) => {
    const fields = {
      source_language: "eng",
      target_language: "swa",
      text: "how are you today?",
    };
    const { status, body } = await client.call("/tasks/translate", { token, body: fields });
    demand(
      status === 502 || (status === 200 && body.output.translated_text !== fields.text),
      `${status} ${JSON.stringify(body)}`,
    );
    return status === 502 ? `502: ${body.detail}` : `200: ${body.output.translated_text}`;
  },
};

/** The start of an inaugural address of 1961, as whisper.cpp's samples have it; in the public domain. */
const recordingPackage = "nodejs-whisper@0.3.1";
const recordingPath = "package/cpp/whisper.cpp/bindings/go/samples/jfk.wav";
const recordingHash = "59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e";
const spoken =
  "and so my fellow americans ask not what your country can do for you ask what you can do for your country";

const fetchRecording = async (folder: string): Promise<Buffer> => {
  const { stdout } = await run("npm", [
    "pack",
    "--silent",
    recordingPackage,
    "--pack-destination",
    folder,
  ]).catch(() => {
    throw new ToolMissing(`${recordingPackage} with a recording cannot be had here`);
  });
  await run("tar", ["-xzf", join(folder, stdout.trim()), "-C", folder, recordingPath]);
  const recording = await readFile(join(folder, recordingPath));
  const hash = createHash("sha256").update(recording).digest("hex");
  if (hash !== recordingHash) throw new Error(`The recording has the hash ${hash}.`);
  return recording;
};

const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z' ]+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** In per cent. */
const wordErrorRate = (text: string, times = 1): number =>
  errorRateOf(wordErrors(plainWords(text), Array.from({ length: times }, () => spoken).join(" ")));

const transcribe = ({ client, token }: Used, recording: Buffer, language: string) => {
  const body = new FormData();
  body.set("audio", new File([Uint8Array.from(recording)], "speech.wav", { type: "audio/wav" }));
  body.set("language", language);
  return client.call("/tasks/audio/transcriptions", { token, body });
};

const headerBytes = 44;
const sampleRate = 16_000;

/** Whisper listens to as much at a time, and decodes again what repeats itself within it. */
const windowSeconds = 30;
const windows = 20;

/** The recording twenty times in ten minutes, with silence in between. */
const tenMinutesOf = (recording: Buffer): Buffer => {
  const window = Buffer.alloc(windowSeconds * 2 * sampleRate);
  recording.copy(window, 0, headerBytes);
  const all = Buffer.concat(Array.from({ length: windows }, () => window));
  return Buffer.concat([monoHeader(sampleRate, all.length), all]);
};

const wholeAt = async ({ endpoint }: OtherServer, recording: Buffer): Promise<string> => {
  const body = new FormData();
  body.set("file", new File([Uint8Array.from(recording)], "speech.wav", { type: "audio/wav" }));
  body.set("model", "whisper-base");
  body.set("language", "en");
  const response = await fetch(`${endpoint}/v1/audio/transcriptions`, { method: "POST", body });
  const { text }: { text?: string } = JSON.parse(await response.text());
  return text ?? "";
};

const transcriptionQuestions = (recording: Buffer): Readonly<Record<string, Question>> => ({
  "real speech in English": async (used) => {
    const { status, body } = await transcribe(used, recording, "eng");
    const rate = wordErrorRate(body.audio_transcription ?? "");
    demand(status === 200 && rate <= 10, `${status} ${JSON.stringify(body)}`);
    return `WER ${rate.toFixed(1)} %`;
  },
  "a transcription in Swahili, whose code the model knows": async (used) => {
    const { status, body } = await transcribe(used, recording, "swa");
    demand(status === 200 && body.audio_transcription !== "", `${status} ${JSON.stringify(body)}`);
    return "200";
  },
  "a transcription in Acholi, which the model does not know": async (used) => {
    const { status, body } = await transcribe(used, recording, "ach");
    demand(status === 502 && /does not know Acholi/.test(body.detail), `${status} ${JSON.stringify(body)}`);
    return `502: ${body.detail}`;
  },
  "a job of ten minutes, and the same in one go": async (used) => {
    const { client, token, server } = used;
    const file = tenMinutesOf(recording);
    const { id } = await client.startJob(file, { type: "transcription", language: "eng" }, { token });
    const over = await client.whenOver(id, token);
    demand(over.body.status === "completed", JSON.stringify(over.body));
    const result = await client.send(`/tasks/jobs/${id}/result?format=text`, { token });
    const inPieces = wordErrorRate(String(result), windows);
    const whole = wordErrorRate(await wholeAt(server, file), windows);
    const seen = `WER ${inPieces.toFixed(1)} % in pieces, ${whole.toFixed(1)} % in one go`;
    demand(inPieces <= whole + 1, seen);
    return seen;
  },
});

const japanese = "今日はとても良い天気ですね。市場へ行って、新鮮な野菜と果物を買いました。";

const speak = ({ client, token }: Used, text: string, audio_format: string) =>
  client.request("/tasks/audio/speech", {
    token,
    body: { text, voice: "kokoro", response_mode: "stream", audio_format },
  });

/** How the audio of each format starts. */
const formatStarts = { wav: "RIFF", mp3: "ÿ", opus: "OggS" } as const;

const speechQuestions: Readonly<Record<string, Question>> = {
  "speech in WAV, MP3 and Opus": async (used) => {
    const sizes: string[] = [];
    for (const [format, start] of Object.entries(formatStarts)) {
      const response = await speak(used, japanese, format);
      const bytes = Buffer.from(await response.arrayBuffer());
      const isFine = response.status === 200 && bytes.toString("latin1", 0, start.length) === start;
      demand(isFine, `${format}: ${response.status} ${bytes.toString("latin1", 0, 200)}`);
      sizes.push(`${format} ${bytes.length} bytes`);
    }
    return sizes.join(", ");
  },
  "a long text, whose audio starts long before its end": async (used) => {
    const startedAt = performance.now();
    const response = await speak(used, japanese.repeat(12), "wav");
    if (response.status !== 200) throw new Contradiction(`${response.status} ${await response.text()}`);
    let first = 0;
    for await (const _ of response.body ?? []) first ||= performance.now() - startedAt;
    const total = performance.now() - startedAt;
    const seen = `first byte after ${(100 * (first / total)).toFixed(0)} % of the time`;
    demand(first < 0.6 * total, seen);
    return seen;
  },
};

/** A stage whose only own voice is one of the server's. */
const stageWithVoice = async (folder: string): Promise<string> => {
  const voice = { tag: "kokoro", language: "eng", gender: "female", name: "Alpha", model_voice: "jf_alpha" };
  await writeFile(join(folder, "voices.json"), JSON.stringify({ mode: "add", voices: [voice] }));
  return folder;
};

/** A server, what it runs, and what it responded to. */
interface Group {
  readonly task: string;
  readonly server: string;
  readonly weights: string;
  readonly rows: readonly Row[];
}

interface GroupOptions {
  readonly task: string;
  readonly name: "llama" | "whisper" | "kokoro";
  readonly packageName: string;
  readonly weightsName: string;
  readonly variables: (address: string) => Readonly<Record<string, string>>;
  readonly questions: Readonly<Record<string, Question>>;
}

const weightsHash = /^weights ([0-9a-f]{64})$/m;

const askServer = async (
  { task, name, packageName, weightsName, variables, questions }: GroupOptions,
  folder: string,
): Promise<Group> => {
  const environment = environmentOf(name);
  const python = await environment.tool("python");
  const server = await startServer(python, (port) => [join(here, `${name}-server.py`), String(port), folder]);
  try {
    const rows = await withLocalService(
      async ({ url }) => {
        const client = new ApiClient(() => url);
        const { token } = await client.createAccount();
        return askAll(questions, { client, token, server });
      },
      variables(`${server.endpoint}/v1`),
    );
    const hash = weightsHash.exec(server.output())?.[1] ?? "unknown";
    return {
      task,
      server: await environment.version(packageName),
      weights: `${weightsName}, SHA-256 ${hash}`,
      rows,
    };
  } finally {
    await server.stop();
  }
};

const notRun = [
  ["translation by a model that translates", "PyPI has no such weights"],
  ["weights for Ugandan languages", "PyPI has none"],
] as const;

const today = (): string => new Date().toISOString().slice(0, 10);

const handbookTables = (groups: readonly Group[]): string =>
  [
    `Run on ${today()} with \`npm run verify -- --only models\`:`,
    "",
    ...groups.flatMap(({ server, weights, rows }) => [
      `${server}, with ${weights}:`,
      "",
      "| request | seen |",
      "| --- | --- |",
      ...rows.map(
        ({ question, seen, isFine }) =>
          `| ${question} | ${isFine ? "" : "**wrong** "}${seen.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 200)} |`,
      ),
      "",
    ]),
    "| not run | why |",
    "| --- | --- |",
    ...notRun.map(([what, why]) => `| ${what} | ${why} |`),
  ].join("\n");

const readmeTable = (groups: readonly Group[]): string =>
  [
    "| task | run with | on |",
    "| --- | --- | --- |",
    ...groups.map(
      ({ task, server, weights }) => `| ${task} | ${server}, ${weights.split(",")[0]} | ${today()} |`,
    ),
    "| translation | not run here | |",
  ].join("\n");

const written = /(<!-- models: npm run[^>]*-->\n\n)[\s\S]*?(\n\n<!-- models: end -->)/;

/** Writes results between the two marks of a page. */
const write = async (page: string, table: string): Promise<void> => {
  const file = join(projectDirectory, page);
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace(written, (_, start, end) => `${start}${table}${end}`),
  );
};

/** Real servers with real weights behind the service. */
export const modelsPart: Part = {
  name: "models: llama.cpp, faster-whisper and Kokoro with real weights",
  paths: ["shared/models/inference", "test/verify/models"],
  isLarge: true,
  run: () =>
    withTemporaryDirectory(async (folder): Promise<Verdict> => {
      const recording = await fetchRecording(folder);
      const llama: GroupOptions = {
        task: "chat",
        name: "llama",
        packageName: "xllamacpp",
        weightsName: "Gemma 3 270M, Q4_K_M",
        // A token takes a second on a small machine.
        variables: (address) => ({
          CHAT_BASE_URL: address,
          CHAT_TIMEOUT_MS: "115000",
          TRANSLATION_TIMEOUT_MS: "115000",
        }),
        questions: chatQuestions,
      };
      const whisper: GroupOptions = {
        task: "transcription",
        name: "whisper",
        packageName: "faster-whisper-server",
        weightsName: "Whisper base",
        variables: (address) => ({ TRANSCRIPTION_BASE_URL: address }),
        questions: transcriptionQuestions(recording),
      };
      const stage = await stageWithVoice(folder);
      const kokoro: GroupOptions = {
        task: "speech",
        name: "kokoro",
        packageName: "fastkokoro",
        weightsName: "Kokoro-82M",
        variables: (address) => ({ SPEECH_BASE_URL: address, STAGE_DIR: stage }),
        questions: speechQuestions,
      };
      const groups: Group[] = [];
      for (const options of [llama, whisper, kokoro]) groups.push(await askServer(options, folder));
      const rows = groups.flatMap((group) => group.rows);
      await write("infra/handbook/models.md", handbookTables(groups));
      if (rows.every(({ isFine }) => isFine)) await write("README.md", readmeTable(groups));
      const findings = rows
        .filter(({ isFine }) => !isFine)
        .map(({ question, seen }) => `${question}: ${seen}`);
      return findings.length > 0
        ? { kind: "failed", findings }
        : { kind: "passed", said: rows.map(({ question, seen }) => `${question}: ${seen}`).join("; ") };
    }),
};
