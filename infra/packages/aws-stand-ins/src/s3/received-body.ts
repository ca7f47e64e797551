import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { decodeAwsChunked } from "./aws-chunked.ts";
import { BodyDigests, type ReceivedBody } from "./body-digests.ts";
import { S3Error } from "./s3-error.ts";
import type { AuthenticatedRequest } from "./s3-request.ts";

/** The largest body of one PUT on S3: 5 GiB. */
const largestBody = 5 * 1024 ** 3;
// A thousand keys of 1,024 bytes to delete, or ten thousand parts to join, stay well below this.
const largestDocument = 8 * 1024 ** 2;

const chunkedPayload = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

const checkPayloadHash = ({ payloadHash }: AuthenticatedRequest): void => {
  if (payloadHash === chunkedPayload || payloadHash === "UNSIGNED-PAYLOAD") return;
  if (/^[0-9a-f]{64}$/.test(payloadHash)) return;
  if (payloadHash.startsWith("STREAMING-")) {
    throw new S3Error("NotImplemented", { message: `The payload ${payloadHash} is not implemented.` });
  }
  throw new S3Error("InvalidArgument", {
    message: "x-amz-content-sha256 must be a SHA-256 or UNSIGNED-PAYLOAD.",
  });
};

const declaredSize = (request: AuthenticatedRequest, limit: number): number => {
  const name = request.payloadHash === chunkedPayload ? "x-amz-decoded-content-length" : "content-length";
  const value = request.headers.get(name) ?? "";
  if (!/^\d{1,15}$/.test(value)) throw new S3Error("MissingContentLength");
  if (Number(value) > limit) throw new S3Error("EntityTooLarge");
  return Number(value);
};

async function* measure(
  source: AsyncIterable<Buffer>,
  digests: BodyDigests,
  expectedSize: number,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    digests.update(chunk);
    if (digests.size > expectedSize) throw new S3Error("IncompleteBody");
    yield chunk;
  }
  if (digests.size < expectedSize) throw new S3Error("IncompleteBody");
}

/**
 * Streams the body of a request into `destination`, undoing `aws-chunked`, and verifies its length, its signed
 * SHA-256, Content-MD5 and every checksum sent as a header or trailer. Memory use does not grow with the body.
 *
 * A checksum in the query of a presigned URL is left alone: the SDK signs there the checksum of the empty body it
 * has at that time, and S3 documents that presigned URLs do not support these checksums.
 *
 * @throws {S3Error} when anything does not match; the destination then holds rubbish the caller has to discard.
 */
export const receiveBody = async (
  request: AuthenticatedRequest,
  destination: Writable,
  limit = largestBody,
): Promise<ReceivedBody> => {
  checkPayloadHash(request);
  const expectedSize = declaredSize(request, limit);
  const digests = new BodyDigests(request);
  const trailers = new Map<string, string>();
  // Destroying the request would close the connection before the client has read why its body is refused.
  const source: AsyncIterable<Buffer> = request.body.iterator({ destroyOnReturn: false });
  const content = request.payloadHash === chunkedPayload ? decodeAwsChunked(source, trailers) : source;
  try {
    await pipeline(measure(content, digests, expectedSize), destination);
  } catch (error) {
    throw request.body.readableAborted ? new S3Error("IncompleteBody") : error;
  }
  return digests.verify(trailers);
};

/** The body of a request whose body is a document, verified like any other. */
export const receiveText = async (request: AuthenticatedRequest): Promise<string> => {
  const chunks: Buffer[] = [];
  const collector = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  await receiveBody(request, collector, largestDocument);
  return Buffer.concat(chunks).toString("utf8");
};
