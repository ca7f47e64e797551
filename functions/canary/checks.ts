import * as z from "zod";
import { silence } from "../../shared/audio/wav/mono-wav.ts";
import {
  type BackendRequest,
  readBody,
  readBytes,
  sendRequest,
} from "../../shared/platform/outbound/http-client.ts";
import type { CheckedTask } from "../../shared/platform/status/status-log.ts";

/** Where the service is, and the key of the canary. */
export interface CheckTarget {
  /** The public address of the service, without a slash at the end. */
  readonly publicBaseUrl: string;
  readonly key: string;
}

const responseMilliseconds = 20_000;
const maxBytes = 2_000_000;

/** The service responded with another status than 200. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  /** The code of the error in its body. */
  readonly code: string | undefined;

  constructor(path: string, status: number, code: string | undefined) {
    super(`${path} returned status ${status}.`);
    this.code = code;
  }
}

const errorCode = z.object({ error: z.object({ code: z.string() }) }).transform(({ error }) => error.code);

const codeIn = (body: string): string | undefined => {
  try {
    return errorCode.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
};

const open = async (url: string, options: Partial<BackendRequest> = {}) => {
  const response = await sendRequest({
    url: new URL(url),
    method: "GET",
    headers: {},
    signal: AbortSignal.timeout(responseMilliseconds),
    silenceMilliseconds: undefined,
    ...options,
  });
  const { statusCode = 0 } = response;
  if (statusCode !== 200) {
    throw new StatusError(new URL(url).pathname, statusCode, codeIn(await readBody(response, maxBytes)));
  }
  return response;
};

/** Checks that the service responds. @throws Error when it does not. */
export const checkHealth = async ({ publicBaseUrl }: Pick<CheckTarget, "publicBaseUrl">): Promise<void> => {
  await readBody(await open(`${publicBaseUrl}/health`), maxBytes);
};

const post = (
  { publicBaseUrl, key }: CheckTarget,
  path: string,
  body: string | Uint8Array,
  type = "application/json",
) =>
  open(`${publicBaseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": type },
    body,
  });

const postJson = async (
  target: CheckTarget,
  path: string,
  body: object,
  schema: z.ZodType,
): Promise<void> => {
  const response = await post(target, path, JSON.stringify(body));
  schema.parse(JSON.parse(await readBody(response, maxBytes)));
};

const boundary = "canary-form-boundary";

const recordingForm = (): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="language"\r\n\r\nlug\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="audio"; filename="silence.wav"\r\n` +
        "Content-Type: audio/wav\r\n\r\n",
    ),
    silence(),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);

const translation = z.object({ output: z.object({ translated_text: z.string().min(1) }) });
const identification = z.object({ language: z.string().min(1) });
const transcription = z.object({ text: z.string() });
const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string().min(1) }) })]),
});

/** A check of each task, as small as the task permits. Each throws when the task does not work. */
export const taskChecks: Readonly<
  Record<Exclude<CheckedTask, "service">, (target: CheckTarget) => Promise<void>>
> = {
  translate: (target) =>
    postJson(
      target,
      "/tasks/translate",
      { text: "water", source_language: "eng", target_language: "lug" },
      translation,
    ),
  identify: (target) => postJson(target, "/tasks/language_id", { text: "Oli otya, ssebo?" }, identification),
  transcribe: async (target) => {
    const type = `multipart/form-data; boundary=${boundary}`;
    const response = await post(target, "/tasks/audio/transcriptions", recordingForm(), type);
    transcription.parse(JSON.parse(await readBody(response, maxBytes)));
  },
  speak: async (target) => {
    const body = { text: "Webale", language: "lug", response_mode: "stream" };
    const audio = await readBytes(await post(target, "/tasks/audio/speech", JSON.stringify(body)), maxBytes);
    if (audio.length === 0) throw new Error("The speech is empty.");
  },
  chat: (target) =>
    postJson(
      target,
      "/tasks/chat/completions",
      { model: "lang-9b", messages: [{ role: "user", content: "Say yes." }], max_tokens: 16 },
      completion,
    ),
};
