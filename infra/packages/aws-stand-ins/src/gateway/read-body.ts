import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import type { Exchange } from "./exchange.ts";

/** The largest request body that API Gateway accepts ("Payload size", API Gateway quotas). */
export const maxRequestBytes = 10 * 1024 * 1024;

/** The largest request line and headers together ("Total combined size of request line and header values", ibid.). */
export const maxHeadBytes = 10_240;

/** Bodies for local-only routes stand for files that would never pass through API Gateway. */
export const maxLocalBodyBytes = 100 * 1024 * 1024;

export type ReceivedBody =
  | { readonly kind: "complete"; readonly bytes: Buffer }
  | { readonly kind: "too-large" }
  /** The caller disconnected, or was too slow and was cut off; no one waits for a response. */
  | { readonly kind: "aborted" };

const emptyBody: ReceivedBody = { kind: "complete", bytes: Buffer.alloc(0) };

const decoders = new Map([
  ["gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
]);

/**
 * Decompresses a body as API Gateway does first of all ("Call an API method with a compressed payload").
 *
 *
 * @param coding the `Content-Encoding` of the request.
 */
export const unpackBody = async (
  bytes: Buffer,
  coding = "identity",
): Promise<Buffer | "too-large" | "unreadable"> => {
  const name = coding.trim().toLowerCase();
  if (name === "identity" || bytes.length === 0) return bytes;
  const decode = decoders.get(name);
  if (decode === undefined) return "unreadable";
  try {
    return await decode(bytes, { maxOutputLength: maxRequestBytes });
  } catch (error) {
    return error instanceof RangeError ? "too-large" : "unreadable";
  }
};

const collect = ({ request }: Exchange, maxBytes: number): Promise<ReceivedBody> =>
  new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped: closing while the caller still sends would lose the response.
      chunks = [];
      resolve({ kind: "too-large" });
    });
    request.once("end", () => resolve({ kind: "complete", bytes: Buffer.concat(chunks) }));
    request.once("close", () => resolve({ kind: "aborted" }));
  });

/** Reads a request's body, up to a size. */
export const readBody = async (exchange: Exchange, maxBytes: number): Promise<ReceivedBody> => {
  const { request } = exchange;
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  if (declaredBytes > maxBytes) return { kind: "too-large" };
  exchange.acceptBody();
  if (declaredBytes === 0 && request.headers["transfer-encoding"] === undefined) return emptyBody;
  return await collect(exchange, maxBytes);
};
