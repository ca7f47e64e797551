import { createHash, type Hash } from "node:crypto";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { decodeAwsChunked } from "./aws-chunked.ts";
import {
  type ChecksumName,
  type Checksums,
  checksumHeader,
  checksumNames,
  type RunningChecksum,
  startChecksum,
} from "./checksums.ts";
import { S3Error } from "./s3-error.ts";
import type { AuthenticatedRequest } from "./s3-request.ts";

/** The facts about a body once all of it has been received and verified. */
export interface ReceivedBody {
  readonly size: number;
  /** MD5 in hex: the entity tag of an object sent in one piece. */
  readonly md5: string;
  /** The checksums the client sent, every one of them verified. */
  readonly checksums: Checksums;
}

/**
 *
 * @throws {S3Error} `NotImplemented` for a trailer that would be accepted unchecked.
 */
const announcedTrailers = (request: AuthenticatedRequest): readonly string[] => {
  const names = (request.headers.get("x-amz-trailer") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  const known = ["", ...checksumNames.map(checksumHeader)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new S3Error("NotImplemented", { message: `The trailer ${unknown} is not implemented.` });
  }
  return names;
};

/** Computes, while a body passes by, every digest its sender has promised, and compares them at the end. */
class BodyDigests {
  readonly #request: AuthenticatedRequest;
  readonly #md5 = createHash("md5");
  readonly #sha256: Hash | undefined;
  readonly #checksums: ReadonlyMap<ChecksumName, RunningChecksum>;
  #size = 0;

  constructor(request: AuthenticatedRequest) {
    this.#request = request;
    this.#sha256 = /^[0-9a-f]{64}$/.test(request.payloadHash) ? createHash("sha256") : undefined;
    const trailers = announcedTrailers(request);
    this.#checksums = new Map(
      checksumNames
        .filter(
          (name) => request.headers.has(checksumHeader(name)) || trailers.includes(checksumHeader(name)),
        )
        .map((name) => [name, startChecksum(name)]),
    );
  }

  /** The number of bytes so far. */
  get size(): number {
    return this.#size;
  }

  update(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#md5.update(chunk);
    this.#sha256?.update(chunk);
    for (const checksum of this.#checksums.values()) checksum.update(chunk);
  }

  /**
   * @param trailers the headers that followed the body.
   * @throws {S3Error} for the first digest that differs, or that was announced and did not come.
   */
  verify(trailers: ReadonlyMap<string, string>): ReceivedBody {
    if (this.#sha256 !== undefined && this.#sha256.digest("hex") !== this.#request.payloadHash) {
      throw new S3Error("XAmzContentSHA256Mismatch");
    }
    const md5 = this.#md5.digest();
    this.#verifyContentMd5(md5);
    return { size: this.#size, md5: md5.toString("hex"), checksums: this.#verifyChecksums(trailers) };
  }

  #verifyContentMd5(computed: Buffer): void {
    const claimed = this.#request.headers.get("content-md5");
    if (claimed === undefined) return;
    const bytes = Buffer.from(claimed, "base64");
    if (bytes.length !== 16) throw new S3Error("InvalidDigest");
    if (!bytes.equals(computed)) throw new S3Error("BadDigest");
  }

  #verifyChecksums(trailers: ReadonlyMap<string, string>): Checksums {
    const verified: Checksums = {};
    for (const [name, checksum] of this.#checksums) {
      const header = checksumHeader(name);
      const claimed = this.#request.headers.get(header) ?? trailers.get(header);
      const computed = checksum.digest();
      if (claimed === undefined) throw new S3Error("MalformedTrailerError");
      if (claimed !== computed) {
        const message = `The ${name.toUpperCase()} you specified did not match the calculated checksum.`;
        throw new S3Error("BadDigest", { message });
      }
      verified[name] = computed;
    }
    return verified;
  }
}

/** The largest body of one PUT on S3: 5 GiB. */
const maxBodyBytes = 5 * 1024 ** 3;
// A thousand keys of 1,024 bytes to delete, or ten thousand parts to join, stay well below this.
const maxDocumentBytes = 8 * 1024 ** 2;

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
  limit = maxBodyBytes,
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
  await receiveBody(request, collector, maxDocumentBytes);
  return Buffer.concat(chunks).toString("utf8");
};
