import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";

/** Loaded with the first compressed response. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** For `Accept-Encoding`: the codings that are decoded. Some servers send them unasked. */
export const decodedCodings = "gzip, deflate, br";

type Coding = "gzip" | "deflate" | "br";

const codings: Readonly<Partial<Record<string, Coding>>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
};

const codingOf = (value: string | undefined): Coding | undefined =>
  codings[value?.trim().toLowerCase() ?? ""];

/** Some servers send `deflate` without the header of zlib (RFC 9110, 8.4.1.2), whose first byte ends with 8. */
const hasZlibHeader = ([first = 0]: Uint8Array): boolean => (first & 0x0f) === 8;

/**
 * Decodes a whole body; one that is cut as far as it goes. Another coding than ours leaves it unchanged.
 * @throws RangeError when it is larger than `maxBytes`, or an error for a damaged one.
 */
export const decodeBody = (body: Buffer, contentEncoding: string | undefined, maxBytes: number): Buffer => {
  const coding = codingOf(contentEncoding);
  if (!coding || body.length === 0) return body;
  const { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } = zlib();
  const limit = { maxOutputLength: maxBytes };
  if (coding === "br") return brotliDecompressSync(body, limit);
  const options = { ...limit, finishFlush: constants.Z_SYNC_FLUSH };
  if (coding === "gzip") return gunzipSync(body, options);
  return hasZlibHeader(body) ? inflateSync(body, options) : inflateRawSync(body, options);
};

const decoderFor = (coding: Coding, first: Uint8Array): Transform => {
  const { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } = zlib();
  if (coding === "br") return createBrotliDecompress();
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  if (coding === "gzip") return createGunzip(options);
  return hasZlibHeader(first) ? createInflate(options) : createInflateRaw(options);
};

/**
 * A response whose body is decoded as it arrives, also within streams, at its reader's pace. One in none of these codings is returned
 * unchanged.
 */
export const decodeResponse = (response: IncomingMessage): IncomingMessage => {
  const { "content-encoding": contentEncoding, "content-length": _, ...headers } = response.headers;
  const coding = codingOf(contentEncoding);
  if (!coding) return response;
  const { IncomingMessage: Message } = process.getBuiltinModule("node:http");
  const decoded = new Message(response.socket);
  Object.assign(decoded, { statusCode: response.statusCode, headers });
  let decoder: Transform | undefined;
  const finish = (): void => {
    decoded.complete = true;
    decoded.push(null);
  };
  const begin = (first: Buffer): void => {
    decoder = decoderFor(coding, first)
      .on("data", (piece: Buffer) => {
        if (!decoded.push(piece)) decoder?.pause();
      })
      .on("error", (error) => decoded.destroy(error))
      .on("end", finish);
    decoder.write(first);
    response.pipe(decoder);
  };
  response.once("data", begin).pause();
  response.once("end", () => decoder ?? finish());
  response.on("error", (error) => decoded.destroy(error));
  response.once("close", () => {
    if (!response.readableEnded) decoded.destroy(response.errored ?? undefined);
  });
  decoded._read = () => void (decoder ?? response).resume();
  decoded._destroy = (error, callback) => {
    response.destroy(error ?? undefined);
    decoder?.destroy();
    callback(error);
  };
  decoded.setTimeout = (milliseconds, onTimeout) => {
    response.setTimeout(milliseconds, onTimeout);
    return decoded;
  };
  return decoded;
};
