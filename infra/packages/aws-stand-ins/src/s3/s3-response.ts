import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { S3Error } from "./s3-error.ts";
import { writeXml, type XmlContent } from "./xml-writer.ts";

export interface S3Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
}

export const xmlResponse = (root: string, content: XmlContent): S3Response => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: writeXml(root, content),
});

const asS3Error = (thrown: unknown): S3Error => {
  if (thrown instanceof S3Error) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  process.emitWarning(error);
  // The client is the same laptop: the cause in the response is worth more than S3's "please try again".
  return new S3Error("InternalError", { message: `An internal error occurred: ${error.message}` });
};

/** S3's `<Error>` document for any thrown value; other errors than {@link S3Error} become `InternalError`. */
export const errorResponse = (thrown: unknown, requestId: string): S3Response => {
  const error = asS3Error(thrown);
  return {
    status: error.status,
    headers: { "content-type": "application/xml", ...error.headers },
    body: writeXml("Error", {
      Code: error.code,
      Message: error.message,
      ...error.details,
      RequestId: requestId,
    }),
  };
};

/** Sends the response; without the body for HEAD. Never rejects: a client that left gets nothing. */
export const sendResponse = async (outgoing: ServerResponse, response: S3Response): Promise<void> => {
  const { status, headers = {}, body } = response;
  try {
    outgoing.statusCode = status;
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
    if (body === undefined || typeof body === "string") outgoing.end(body);
    else await pipeline(body, outgoing);
  } catch {
    outgoing.destroy();
  }
};
