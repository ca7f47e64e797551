/** One request after the other to a function, a proxy or the model itself, with audio in either direction. */
import { request as sendRequest } from "node:http";
import * as z from "zod";
import { type EventBody, functionEvent, type LoadTarget } from "../compare/load-client.ts";

/** A response, and when its parts came, in milliseconds since the request was sent. */
export interface AudioResponse {
  readonly firstByteMilliseconds: number;
  readonly milliseconds: number;
  /** Its bytes; empty when only their number was requested. */
  readonly body: Buffer;
  readonly bytes: number;
}

const prelude = z.object({ statusCode: z.int() });
const preludeEnd = Buffer.alloc(8);

/** The part of a function's response after its prelude. @throws Error for another status than 200. */
const afterPrelude = (name: string, response: Buffer): Buffer => {
  const end = response.indexOf(preludeEnd);
  const { statusCode } = prelude.parse(JSON.parse(response.toString("utf8", 0, Math.max(0, end)) || "{}"));
  const body = response.subarray(end + preludeEnd.length);
  if (statusCode !== 200) throw new Error(`${name}: status ${statusCode}: ${body.toString("utf8", 0, 400)}`);
  return body;
};

/** How much of a response is read whose bytes are only counted: its head, and the prelude. */
const readBytes = 65_536;

/**
 * Sends a request and reads the response.
 *
 * @param isWhole whether the bytes are returned; those of a long speech are only counted.
 * @throws Error for any status but 200.
 */
export const exchangeAudio = (target: LoadTarget, sent: EventBody, isWhole = true): Promise<AudioResponse> =>
  new Promise((resolve, reject) => {
    const { event, headers } = target.takesEvents
      ? functionEvent(target, sent)
      : { event: sent.body, headers: { ...target.headers, "Content-Type": sent.contentType } };
    const length = Buffer.byteLength(event);
    // Lambda makes the event, so its base64 is no time of the function.
    const startedAt = performance.now();
    const request = sendRequest(target.url, {
      method: "POST",
      headers: { ...headers, "Content-Length": length },
    });
    request.on("error", reject).on("response", (response) => {
      let firstByte = Number.NaN;
      let bytes = 0;
      const pieces: Buffer[] = [];
      response.on("error", reject).on("data", (piece: Buffer) => {
        // The prelude of a function is no part of the response.
        if (Number.isNaN(firstByte) && !(target.takesEvents && bytes === 0)) firstByte = performance.now();
        if (isWhole || bytes < readBytes) pieces.push(piece);
        bytes += piece.length;
      });
      response.on("end", () => {
        try {
          const all = Buffer.concat(pieces);
          if (response.statusCode !== 200)
            throw new Error(`${target.name}: status ${response.statusCode}: ${all}`);
          const body = target.takesEvents ? afterPrelude(target.name, all) : all;
          const endedAt = performance.now();
          resolve({
            firstByteMilliseconds: (Number.isNaN(firstByte) ? endedAt : firstByte) - startedAt,
            milliseconds: endedAt - startedAt,
            body: isWhole ? body : Buffer.alloc(0),
            bytes: bytes - (all.length - body.length),
          });
        } catch (error) {
          reject(error);
        }
      });
    });
    request.end(event);
  });
