import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { logger } from "../telemetry/logger.ts";
import type { BodyChunks } from "./reply.ts";

/** Resolves when the stream takes more or has come to its end; a reader that went away is no error. */
const whenWritable = async (stream: Writable): Promise<void> => {
  if (stream.destroyed) return;
  const settled = new AbortController();
  const options = { signal: settled.signal };
  await Promise.race([once(stream, "drain", options), once(stream, "close", options)]).catch(() => undefined);
  settled.abort();
};

/**
 * Writes a body at the reader's pace and ends the stream.
 *
 * It never rejects: an error inside a Lambda response stream ends the runtime (the status has left already, so
 * there is nobody to tell). Whoever makes the chunks reports failures in the stream's own format. When the reader
 * goes away, the iteration is left, which lets the maker of the chunks stop its work.
 */
export const sendStream = async (stream: Writable, body: string | BodyChunks): Promise<void> => {
  stream.on("error", () => undefined);
  try {
    if (typeof body === "string") stream.write(body);
    else {
      // Without a first write the runtime forgets status and headers; with an empty one they leave at once.
      stream.write("");
      for await (const chunk of body) {
        if (stream.destroyed) break;
        if (!stream.write(chunk)) await whenWritable(stream);
      }
    }
  } catch (error) {
    logger.error("stream.failed", { reason: error instanceof Error ? error.message : "unknown" });
  }
  stream.end();
  await finished(stream).catch(() => undefined);
};
