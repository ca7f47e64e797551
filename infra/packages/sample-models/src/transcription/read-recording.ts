import { ApiError } from "../api-error.ts";
import { ByteReader } from "./byte-reader.ts";
import { estimateDuration } from "./estimate-duration.ts";
import { readWav } from "./read-wav.ts";
import type { Recording } from "./recording.ts";

/** Where other formats than WAV say how long they are: near the beginning or near the end. */
const edgeLength = 64 * 1024;

/**
 * Reads an audio file as it comes in, to its end. Only 16-bit WAV files are listened to; a file of another format
 * counts as speech from beginning to end, and its length is an estimate: 0 when there is nothing to tell it by.
 *
 * Throws an `ApiError` (400) for a file without a byte.
 */
export async function readRecording(file: AsyncIterable<Buffer>): Promise<Recording> {
  const reader = new ByteReader(file);
  const form = (await reader.peek(12)).toString("latin1");
  if (form === "")
    throw new ApiError(400, "Invalid 'file': it is empty.", { code: "invalid_value", param: "file" });
  // RF64 is the same format for files of more than 4 GiB.
  if (/^(?:RIFF|RF64)....WAVE$/su.test(form)) return readWav(reader);

  const head = await reader.peek(edgeLength);
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of reader.readChunks()) {
    tail = Buffer.concat([tail, chunk]).subarray(-edgeLength);
  }
  const durationSeconds = estimateDuration({ head, tail, length: reader.position });
  return { durationSeconds, speech: [{ start: 0, end: durationSeconds }] };
}
