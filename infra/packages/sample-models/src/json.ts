import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "./api-error.ts";

/** Much longer than any conversation; a limit, so that a mistaken client cannot fill the memory. */
const longestJsonBody = 8 * 1024 * 1024;

/** Reads the body of a request as JSON. Throws an `ApiError`: 413 when it is too long, 400 when it is not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early must not destroy the request: its connection has to carry the refusal.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    length += chunk.length;
    if (length > longestJsonBody) break;
    chunks.push(chunk);
  }
  if (length > longestJsonBody) {
    // What is still coming is read and dropped, so that the client comes to reading the refusal.
    request.resume();
    throw new ApiError(413, `The request body is longer than ${longestJsonBody} bytes.`);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new ApiError(400, "The request body is not valid JSON.", { code: "invalid_json" });
  }
}

/** Sends a value as the whole answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(value);
  const length = Buffer.byteLength(body);
  response
    .writeHead(status, { ...headers, "content-type": "application/json", "content-length": length })
    .end(body);
}
