import { AppError } from "../../shared/errors/app-error.ts";
import { describeError } from "../../shared/telemetry/describe-error.ts";
import { logger } from "../../shared/telemetry/logger.ts";
import type { StoredStream } from "../speech/stream-speech.ts";

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
    const { code, message, cause } = AppError.from(thrown);
    logger.error("speech.broken_off", { code, reason: describeError(cause) });
    yield frame("error", { error: message });
  }
}
