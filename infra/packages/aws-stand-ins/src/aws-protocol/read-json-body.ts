import type { IncomingMessage } from "node:http";
import { AwsError } from "./aws-error.ts";

/**
 * Reads a request body to its end and parses it as JSON; an empty body counts as `{}`, as the SDK may send none.
 *
 * @throws AwsError `RequestEntityTooLarge` (413) beyond `maximumBytes`, `SerializationException` (400) when the body
 *   is not JSON.
 */
export const readJsonBody = async (request: IncomingMessage, maximumBytes: number): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // An oversized body is read to its end but not kept. What is left unread would stay on the connection, and the
  // client's next request on it would never be answered.
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maximumBytes) chunks.push(chunk);
  }
  if (size > maximumBytes) {
    throw new AwsError(
      "RequestEntityTooLarge",
      `The request body is larger than ${maximumBytes} bytes.`,
      413,
    );
  }
  if (size === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new AwsError("SerializationException", "The request body is not valid JSON.");
  }
};
