import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import * as z from "zod";
import type { DataItem, TranscriptionItem } from "../data/item.ts";
import { EvaluationStopped, heardDetails, type ItemOutcome, type ModelOutput } from "./outcome.ts";

/** The service that is evaluated. */
export interface EvaluatedService {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly key: string;
  readonly timeoutSeconds: number;
  /** Whether transcripts come with what models report about them. */
  readonly calibrates?: boolean;
}

/** What the service accepts with a request is 4.4 MB, including the form's other fields. */
const maxBytesInRequest = 4_000_000;

/** How long to wait when the service does not say. */
const waitSeconds = 5;

const translated = z.object({
  output: z.object({ translated_text: z.string() }),
  usage: z.object({ total_tokens: z.number() }).nullish(),
});
const transcribed = z.object({ text: z.string(), duration_seconds: z.number() });
const detailed = z.object({ text: z.string(), duration: z.number() });
const identified = z.object({ language: z.string() });
const link = z.object({ upload_url: z.url(), file_id: z.string() });
const errorBody = z.object({
  detail: z.unknown(),
  error: z.object({ code: z.string(), message: z.string().optional() }),
});

const json = (body: object): RequestInit => ({
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});

type Send = (path: string, init: RequestInit) => Promise<Response>;

/** The response to a request that did not work. */
class Unsuccessful extends Error {
  readonly response: Response;
  constructor(response: Response) {
    super(`The service responded with ${response.status}.`);
    this.response = response;
  }
}

const successful = (response: Response): Response => {
  if (!response.ok) throw new Unsuccessful(response);
  return response;
};

/** Uploads a recording that is too large for a request. @returns its `file_id`. */
const upload = async ({ file, bytes }: TranscriptionItem, send: Send, signal: AbortSignal) => {
  const contentType = "application/octet-stream";
  const created = await send(
    "/tasks/generate-upload-url",
    json({ file_name: basename(file), content_type: contentType, size: bytes }),
  );
  const { upload_url, file_id } = link.parse(await successful(created).json());
  const stored = await fetch(upload_url, {
    method: "PUT",
    headers: { "Content-Type": contentType },
    body: await openAsBlob(file),
    redirect: "manual",
    signal,
  });
  successful(stored);
  return file_id;
};

const transcriptionForm = async (
  item: TranscriptionItem,
  file: "audio" | "file",
  send: Send,
  signal: AbortSignal,
) => {
  const form = new FormData();
  form.set("language", item.language);
  if (item.bytes > maxBytesInRequest) form.set("file_id", await upload(item, send, signal));
  else form.set(file, await openAsBlob(item.file), basename(item.file));
  return form;
};

const detailsPath = "/v1/audio/transcriptions";

/** Requests a transcript with what models report about it: about words too, unless they have no times. */
const requestDetails = async (item: TranscriptionItem, send: Send, signal: AbortSignal) => {
  const body = await transcriptionForm(item, "file", send, signal);
  body.set("model", "stt-51");
  body.set("response_format", "verbose_json");
  body.append("timestamp_granularities[]", "segment");
  const withWords = async (): Promise<Response> => {
    body.append("timestamp_granularities[]", "word");
    const response = await send(detailsPath, { body });
    if (response.status !== 400) return response;
    body.delete("timestamp_granularities[]");
    body.append("timestamp_granularities[]", "segment");
    return send(detailsPath, { body });
  };
  const startedAt = performance.now();
  return { startedAt, response: await withWords() };
};

/** Sends the request of an item. @returns its response, and when it was sent. */
const request = async (item: DataItem, { calibrates }: EvaluatedService, send: Send, signal: AbortSignal) => {
  const startedNow = async (path: string, init: RequestInit) => {
    const startedAt = performance.now();
    return { startedAt, response: await send(path, init) };
  };
  if (item.task === "translation") {
    const { source_language, target_language, source: text } = item;
    return startedNow("/tasks/translate", json({ source_language, target_language, text }));
  }
  if (item.task === "transcription") {
    if (calibrates) return requestDetails(item, send, signal);
    const body = await transcriptionForm(item, "audio", send, signal);
    return startedNow("/tasks/audio/transcriptions", { body });
  }
  return startedNow("/tasks/language_id", json({ text: item.text }));
};

const readOutput = (
  { task }: DataItem,
  { calibrates }: EvaluatedService,
  body: unknown,
): Pick<ModelOutput, "audio_seconds" | "heard" | "output" | "tokens"> => {
  if (task === "translation") {
    const { output, usage } = translated.parse(body);
    return {
      output: output.translated_text,
      tokens: usage?.total_tokens ?? null,
      audio_seconds: null,
    };
  }
  if (task === "transcription" && calibrates) {
    const { text, duration } = detailed.parse(body);
    return { output: text, tokens: null, audio_seconds: duration, heard: heardDetails.parse(body) };
  }
  if (task === "transcription") {
    const { text, duration_seconds } = transcribed.parse(body);
    return { output: text, tokens: null, audio_seconds: duration_seconds };
  }
  return { output: identified.parse(body).language, tokens: null, audio_seconds: null };
};

/** The seconds of `Retry-After`, which may also be a date (RFC 9110, 10.2.3). */
export const readRetryAfter = (value: string | null, now: number): number | undefined => {
  if (value === null) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1_000);
};

const refused = async (response: Response): Promise<ItemOutcome> => {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const error = errorBody.safeParse(body);
  const { status } = response;
  if (!error.success) {
    throw new EvaluationStopped(
      `The server responded with ${status}, and not as this service does: check --base-url.`,
    );
  }
  const { detail, error: about } = error.data;
  if (status === 401 || status === 403) {
    throw new EvaluationStopped(
      `The service refuses the key (${status} ${about.code}); it needs the scopes translate, transcribe, upload and language.`,
    );
  }
  const shown = typeof detail === "string" ? detail : (about.message ?? about.code);
  return { kind: "refused", status, code: about.code, detail: shown };
};

const unsuccessful = async (response: Response): Promise<ItemOutcome> => {
  const seconds = readRetryAfter(response.headers.get("retry-after"), Date.now());
  if (response.status === 429) return { kind: "limited", seconds: seconds ?? waitSeconds };
  if (response.status === 408 || response.status >= 500) {
    return { kind: "failed", reason: `the service responded with ${response.status}`, seconds };
  }
  return refused(response);
};

/** Why a request had no response that can be read. */
const reasonOf = (error: unknown, timeoutSeconds: number): string => {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return "the response has another form";
  if (error instanceof Error && error.name === "TimeoutError")
    return `no response in ${timeoutSeconds} seconds`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/**
 * Calls the service once for an item.
 *
 * @throws EvaluationStopped when no other item would fare better: it refuses the key, or is not this service.
 */
export const callService = async (item: DataItem, service: EvaluatedService): Promise<ItemOutcome> => {
  const signal = AbortSignal.timeout(1_000 * service.timeoutSeconds);
  const send: Send = (path, init) =>
    fetch(service.baseUrl + path, {
      ...init,
      method: "POST",
      headers: { ...init.headers, Authorization: `Bearer ${service.key}` },
      // A key goes to no other address.
      redirect: "manual",
      signal,
    });
  try {
    const { startedAt, response } = await request(item, service, send, signal);
    const body: unknown = await successful(response).json();
    const seconds = (performance.now() - startedAt) / 1_000;
    const server = response.headers.get("x-model-server");
    return { kind: "output", ...readOutput(item, service, body), seconds, server };
  } catch (error) {
    if (error instanceof Unsuccessful) return unsuccessful(error.response);
    return { kind: "failed", reason: reasonOf(error, service.timeoutSeconds), seconds: undefined };
  }
};
