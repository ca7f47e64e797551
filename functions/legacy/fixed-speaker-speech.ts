import { Reply } from "../../shared/http/response.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { SpeechItem } from "../speech/contract.ts";
import type { SpeechContext, SpeechDependencies } from "../speech/dependencies.ts";
import { openStoredStream, type StoredStream, streamOnly } from "../speech/stream-speech.ts";
import { synthesizeSpeech } from "../speech/synthesize-speech.ts";
import type {
  JobResponse,
  SpeechJobRequest,
  SpokenRequest,
  SpokenResponse,
} from "./fixed-speaker-contract.ts";
import { requireSpeaker, type Speaker } from "./fixed-speakers.ts";

/*
 * The routes that speak with one of the six fixed speakers; those with voices of the catalogue are in
 * orpheus-speech.ts.
 */

const toItem = ({ text }: SpokenRequest, { languageCode }: Speaker): SpeechItem => ({
  text,
  language: languageCode,
});

const lengthOf = (text: string): number => [...text].length;

const speakerHeaders = ({ text }: SpokenRequest, { id, display_name }: Speaker): Record<string, string> => ({
  "X-Speaker-ID": String(id),
  "X-Speaker-Name": display_name,
  "X-Text-Length": String(lengthOf(text)),
});

const wordsPerMinute = 150;

const estimateSeconds = (text: string): number =>
  Math.round((text.split(/\s+/).length / wordsPerMinute) * 60 * 100) / 100;

const synthesizeToLink = async (
  request: SpokenRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<SpokenResponse> => {
  const speaker = requireSpeaker(request.speaker_id);
  const speech = await synthesizeSpeech(toItem(request, speaker), context, dependencies);
  return {
    success: true,
    audio_url: speech.audio_url,
    expires_at: speech.audio_url_expires_at,
    file_name: speech.storage_object,
    duration_estimate_seconds: estimateSeconds(request.text),
    text_length: lengthOf(request.text),
    speaker_id: speaker.id,
    speaker_name: speaker.display_name,
  };
};

/** `POST /tasks/{vendor_a}/tts/stream`: the sound leaves while it is made. */
export const synthesizeToStream = async (
  request: SpokenRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<Reply> => {
  const speaker = requireSpeaker(request.speaker_id);
  const { contentType, headers, body } = await streamOnly(toItem(request, speaker), context, dependencies);
  return new Reply({
    contentType,
    headers: {
      ...headers,
      ...speakerHeaders(request, speaker),
      "Content-Disposition": 'attachment; filename="tts_output.wav"',
    },
    body,
  });
};

/** `POST /tasks/{vendor_a}/tts/stream-with-url`: the sound leaves in server-sent events while it is made and stored. */
export const synthesizeInEvents = async (
  request: SpokenRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<Reply> => {
  const speaker = requireSpeaker(request.speaker_id);
  const stream = await openStoredStream(toItem(request, speaker), context, dependencies);
  return new Reply({
    contentType: "text/event-stream; charset=utf-8",
    headers: { ...speakerHeaders(request, speaker), "Cache-Control": "no-cache, no-transform" },
    body: writeAudioEvents(stream),
  });
};

const modes = { url: synthesizeToLink, stream: synthesizeToStream, both: synthesizeInEvents } as const;

/** `POST /tasks/{vendor_a}/tts` and `/tts-alt`: a text is spoken as its `response_mode` says. */
export const synthesizeInMode = (
  request: SpokenRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<Reply | SpokenResponse> => modes[request.response_mode](request, context, dependencies);

const maxJobCharacters = 10_000;

/** What the model takes for each chunk of a text. Version 1 counted for the text as a whole, and took any number. */
const tokensInBounds = (tokens: number): number => Math.min(Math.max(tokens, 64), 4_096);

/**
 * `POST /tasks/tts` and `/tasks/{vendor_b}/tts`: stored speech, in the shapes of a job.
 *
 * @throws AppError `bad_request` for a text that is blank or longer than 10,000 characters.
 */
export const synthesizeAsJob = async (
  { text, speaker_id, temperature, max_new_audio_tokens: tokens }: SpeechJobRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<JobResponse> => {
  const startedAt = performance.now();
  const spoken = text.trim();
  if (spoken === "" || [...spoken].length > maxJobCharacters) {
    throw new AppError("bad_request", {
      message: `The text must have 1 to ${maxJobCharacters} characters.`,
      param: "text",
    });
  }
  const item: SpeechItem = {
    text: spoken,
    language: requireSpeaker(speaker_id).languageCode,
    temperature,
    max_tokens: tokens === undefined ? undefined : tokensInBounds(tokens),
  };
  const speech = await synthesizeSpeech(item, context, dependencies);
  return {
    output: {
      audio_url: speech.audio_url,
      blob: speech.storage_object,
      sample_rate: speech.sample_rate,
      duration_seconds: speech.duration_seconds,
      format: "wav",
      speaker_id,
      processing_time: Math.round(performance.now() - startedAt) / 1_000,
    },
  };
};

/** Events of version 1 have no name of their own: readers tell them apart by a member of their data. */
const frame = (event: "audio_chunk" | "complete" | "error", data: object): string =>
  `data: ${JSON.stringify({ event, ...data })}\n\n`;

/**
 * Speech as server-sent events, each piece in base64; at the end the link to the whole. The status has left, so a
 * failure is told by an event.
 */
export async function* writeAudioEvents({
  pieces,
  link,
  objectKey,
}: StoredStream): AsyncGenerator<string, void, undefined> {
  let totalBytes = 0;
  try {
    for await (const piece of pieces) {
      totalBytes += piece.length;
      yield frame("audio_chunk", { data: Buffer.from(piece).toString("base64"), bytes: piece.length });
    }
    yield frame("complete", {
      audio_url: link.url,
      expires_at: link.expiresAt.toISOString(),
      file_name: objectKey,
      total_bytes: totalBytes,
    });
  } catch (thrown) {
    const { code, message, cause } = toAppError(thrown);
    logger.error("speech.broken_off", { code, reason: describeError(cause) });
    yield frame("error", { error: message });
  }
}
