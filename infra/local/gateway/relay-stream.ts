import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/** How a stream ended: whole; broken, which the caller sees as a broken connection; or left by the caller. */
export type StreamEnd = "complete" | "broken" | "abandoned";

/**
 * Sends a stream to the caller as it arrives and no faster than the caller reads. When the caller leaves, reading stops
 * at once.
 *
 * @param failure after the end: why the stream is not whole, or undefined.
 */
export const relayStream = (
  body: Readable,
  response: ServerResponse,
  failure: () => string | undefined,
): Promise<StreamEnd> =>
  new Promise((resolve) => {
    const breakOff = (): void => {
      // The headers have left with a good status: an early end of the connection is the only thing left to say.
      response.destroy();
      resolve("broken");
    };
    body.once("error", breakOff);
    body.once("close", () => {
      if (!body.readableEnded) breakOff();
    });
    body.once("end", () => {
      if (failure() !== undefined) return breakOff();
      response.end();
      resolve("complete");
    });
    const stopReading = (): void => {
      resolve("abandoned");
      body.destroy();
    };
    response.once("close", stopReading);
    if (response.destroyed) stopReading();
    else body.pipe(response, { end: false });
  });
