import { Reply } from "../../shared/http/response.ts";
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
import { requireText } from "./require-text.ts";

/** A use case that speaks with one of the six fixed speakers. */
export type SynthesizeSpoken<Response = Reply | SpokenResponse> = (
  request: SpokenRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
) => Promise<Response>;

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

const synthesizeToLink: SynthesizeSpoken<SpokenResponse> = async (request, context, dependencies) => {
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

/** `POST /tasks/{vendor_a}/tts/stream`: streams the audio. */
export const synthesizeToStream: SynthesizeSpoken<Reply> = async (request, context, dependencies) => {
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

/** `POST /tasks/{vendor_a}/tts/stream-with-url`: stores the audio and streams it in server-sent events. */
export const synthesizeInEvents: SynthesizeSpoken<Reply> = async (request, context, dependencies) => {
  const speaker = requireSpeaker(request.speaker_id);
  const stream = await openStoredStream(toItem(request, speaker), context, dependencies);
  return new Reply({
    contentType: "text/event-stream; charset=utf-8",
    headers: { ...speakerHeaders(request, speaker), "Cache-Control": "no-cache, no-transform" },
    body: writeAudioEvents(stream),
  });
};

const modes = { url: synthesizeToLink, stream: synthesizeToStream, both: synthesizeInEvents } as const;

/** `POST /tasks/{vendor_a}/tts` and `/tts-alt`: speaks a text in the form of its `response_mode`. */
export const synthesizeInMode: SynthesizeSpoken = (request, context, dependencies) =>
  modes[request.response_mode](request, context, dependencies);

/** The model's bounds for each chunk of a text. Version 1 accepted any number, for the whole text. */
const tokensInBounds = (tokens: number): number => Math.min(Math.max(tokens, 64), 4_096);

/** `POST /tasks/tts` and `/tasks/{vendor_b}/tts`. @throws AppError `bad_request` for a blank or too long text. */
export const synthesizeAsJob = async (
  { text, speaker_id, temperature, max_new_audio_tokens: tokens }: SpeechJobRequest,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<JobResponse> => {
  const startedAt = performance.now();
  const item: SpeechItem = {
    text: requireText(text, 10_000, "text"),
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

/** Writes an event of version 1, whose name is a member of its data. */
const frame = (event: "audio_chunk" | "complete" | "error", data: object): string =>
  `data: ${JSON.stringify({ event, ...data })}\n\n`;

/**
 * Writes speech as server-sent events: the audio in base64, then the link to the whole file. A failure becomes an event, because
 * the status has already been sent.
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
