import { createHash, type Hash } from "node:crypto";
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

/** What is known of a body once all of it has been received and verified. */
export interface ReceivedBody {
  readonly size: number;
  /** MD5 in hex: the entity tag of an object sent in one piece. */
  readonly md5: string;
  /** The checksums the client sent, every one of them verified. */
  readonly checksums: Checksums;
}

/** @throws {S3Error} `NotImplemented` for a trailer that would be taken without being looked at. */
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
export class BodyDigests {
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
