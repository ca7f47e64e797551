import type { OutgoingHttpHeaders } from "node:http";
import * as z from "zod";
import type { Exchange } from "./exchange.ts";
import { headerFields, mergeHeaders } from "./response-headers.ts";

/** An answer that has arrived whole. */
export interface BufferedAnswer {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

export const statusCodeSchema = z.coerce.number().int().min(200).max(599);

const answerFields = {
  statusCode: statusCodeSchema,
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
  headers: headerFields.headers,
};

/** Payload format 1.0. */
const proxyAnswerSchema = z.object({ ...answerFields, multiValueHeaders: headerFields.multiValueHeaders });

/** Payload format 2.0. */
const urlAnswerSchema = z.object({ ...answerFields, cookies: headerFields.cookies });

/**
 * Reads the answer of a function behind a buffered proxy integration.
 *
 * @param acceptsBinary whether the first type the caller accepts is one of the API's binary media types; base64 reaches
 *   other callers as it is ("Content type conversions", API Gateway developer guide).
 * @returns undefined when it is malformed.
 */
export const readProxyAnswer = (payload: Buffer, acceptsBinary: boolean): BufferedAnswer | undefined => {
  try {
    const answer = proxyAnswerSchema.parse(JSON.parse(payload.toString()));
    const isBinary = answer.isBase64Encoded === true && acceptsBinary;
    return {
      statusCode: answer.statusCode,
      headers: withContentType(mergeHeaders(answer)),
      body: Buffer.from(answer.body ?? "", isBinary ? "base64" : "utf8"),
    };
  } catch {
    return undefined;
  }
};

/**
 * Reads the answer of a function behind a buffered function URL (payload format 2.0). What names no status is itself
 * the body of a good answer.
 *
 * @returns undefined when it is malformed.
 */
export const readFunctionUrlAnswer = (payload: Buffer): BufferedAnswer | undefined => {
  try {
    const value: unknown = JSON.parse(payload.toString());
    if (typeof value !== "object" || value === null || !("statusCode" in value)) {
      return { statusCode: 200, headers: withContentType({}), body: payload };
    }
    const answer = urlAnswerSchema.parse(value);
    return {
      statusCode: answer.statusCode,
      headers: withContentType(mergeHeaders(answer)),
      body: Buffer.from(answer.body ?? "", answer.isBase64Encoded === true ? "base64" : "utf8"),
    };
  } catch {
    return undefined;
  }
};

/** A body without a declared type is taken for JSON. */
const withContentType = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.keys(headers).some((name) => name.toLowerCase() === "content-type")
    ? headers
    : { ...headers, "Content-Type": "application/json" };

export const sendBuffered = ({ response }: Exchange, { statusCode, headers, body }: BufferedAnswer): void => {
  response.writeHead(
    statusCode,
    statusCode === 204 ? headers : { ...headers, "content-length": body.length },
  );
  response.end(body);
};
