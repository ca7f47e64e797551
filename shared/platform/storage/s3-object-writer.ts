import { describeError, logger } from "../telemetry/logger.ts";
import { type ObjectWriter, partBytes } from "./object-store.ts";
import { type Bucket, type S3Call, type S3Result, storageFailure } from "./s3-calls.ts";
import { beginMultipart, completeMultipart } from "./s3-object-parts.ts";

const etag = /^"?([^"<&]+)"?$/;

/**
 * Writes an object of unknown length: a small one with a single request, a larger one in parts.
 *
 * The first part is held back until the end, because its start may be replaced then. One part is sent while the next
 * one fills, so at most three parts are in memory.
 */
export class S3ObjectWriter implements ObjectWriter {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #contentType: string;
  readonly #cancellation = new AbortController();

  #filling: Uint8Array[] = [];
  #fillingBytes = 0;
  #first: Buffer | undefined;
  #uploadId: Promise<string> | undefined;
  #lastNumber = 1;
  readonly #tags = new Map<number, string>();
  #uploading: Promise<void> = Promise.resolve();
  #isStored = false;

  constructor(bucket: Bucket, key: string, contentType: string) {
    this.#bucket = bucket;
    this.#key = key;
    this.#contentType = contentType;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#filling.push(bytes);
    this.#fillingBytes += bytes.length;
    if (this.#fillingBytes < partBytes) return;
    const part = this.#takeFilling();
    if (!this.#first) {
      this.#first = part;
      return;
    }
    await this.#guard(() => this.#uploading);
    this.#uploading = this.#uploadPart(this.#nextNumber(), part);
    // The next call reports a failure; until then it must not count as unhandled.
    this.#uploading.catch(() => undefined);
  }

  complete(start: Uint8Array = new Uint8Array()): Promise<void> {
    return this.#guard(async () => {
      const rest = this.#takeFilling();
      if (this.#first) await this.#completeParts(this.#first, start, rest);
      else await this.#putWhole(replaceStart(rest, start));
      this.#isStored = true;
    });
  }

  async abort(): Promise<void> {
    if (this.#isStored) return;
    this.#filling = [];
    this.#first = undefined;
    // A part that arrives after the abort would remain, so none may be pending.
    this.#cancellation.abort();
    await this.#uploading.catch(() => undefined);
    const uploadId = await this.#uploadId?.catch(() => undefined);
    if (uploadId === undefined) return;
    this.#uploadId = undefined;
    try {
      await this.#bucket.call(
        { operation: "AbortMultipartUpload", method: "DELETE", key: this.#key, query: { uploadId } },
        { milliseconds: this.#bucket.timeouts.response },
      );
    } catch (error) {
      // The bucket's lifecycle rule removes the rest of an upload after a day.
      logger.warn("upload.not_aborted", { reason: describeError(error) });
    }
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.abort();
      throw storageFailure(error);
    }
  }

  #callUntilAborted(call: Omit<S3Call, "key">): Promise<S3Result> {
    return this.#bucket.call({ ...call, key: this.#key }, { signal: this.#cancellation.signal });
  }

  #takeFilling(): Buffer {
    const bytes = Buffer.concat(this.#filling);
    this.#filling = [];
    this.#fillingBytes = 0;
    return bytes;
  }

  #nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  async #putWhole(body: Buffer): Promise<void> {
    const headers = { "content-type": this.#contentType };
    await this.#callUntilAborted({ operation: "PutObject", method: "PUT", headers, body });
  }

  async #completeParts(first: Buffer, start: Uint8Array, rest: Buffer): Promise<void> {
    await this.#uploading;
    this.#uploading = this.#uploadPart(1, replaceStart(first, start));
    await this.#uploading;
    if (rest.length > 0) await this.#uploadPart(this.#nextNumber(), rest);
    const parts = [...this.#tags]
      .toSorted(([one], [other]) => one - other)
      .map(([number, tag]) => ({ number, tag }));
    await completeMultipart(this.#bucket, this.#key, await this.#begin(), parts);
  }

  async #uploadPart(partNumber: number, body: Buffer): Promise<void> {
    const query = { partNumber: String(partNumber), uploadId: await this.#begin() };
    const { headers } = await this.#callUntilAborted({ operation: "UploadPart", method: "PUT", query, body });
    const tag = etag.exec(headers.etag ?? "")?.[1];
    if (tag === undefined) throw new Error("S3 took a part without giving it a tag.");
    this.#tags.set(partNumber, tag);
  }

  /** Aborting does not end it: an upload whose id was never received could not be aborted. */
  #begin(): Promise<string> {
    this.#uploadId ??= beginMultipart(this.#bucket, this.#key, this.#contentType);
    return this.#uploadId;
  }
}

const replaceStart = (bytes: Buffer, start: Uint8Array): Buffer => {
  if (start.length > bytes.length) throw new Error("The new beginning is longer than what was written.");
  bytes.set(start);
  return bytes;
};
