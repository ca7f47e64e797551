import { describeError, logger } from "../telemetry/logger.ts";
import { type ObjectParts, type ObjectWriter, partBytes, type StoredPart } from "./object-store.ts";
import { type Bucket, storageFailure } from "./s3-bucket.ts";
import { createS3ObjectParts } from "./s3-multipart.ts";

/**
 * Writes an object of unknown length: a small one with a single request, a larger one in parts.
 *
 * The first part is held back until the end, because its start may be replaced then, so at most three parts are in memory.
 */
export class S3Writer implements ObjectWriter {
  readonly #bucket: Bucket;
  readonly #multipart: ObjectParts;
  readonly #key: string;
  readonly #contentType: string;
  readonly #cancellation = new AbortController();

  #filling: Uint8Array[] = [];
  #fillingBytes = 0;
  #first: Buffer | undefined;
  #uploadId: Promise<string> | undefined;
  readonly #sent: Pick<StoredPart, "number" | "tag">[] = [];
  #sending: Promise<unknown> = Promise.resolve();
  #isStored = false;

  constructor(bucket: Bucket, key: string, contentType: string) {
    this.#bucket = bucket;
    this.#multipart = createS3ObjectParts(bucket);
    this.#key = key;
    this.#contentType = contentType;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#filling.push(bytes);
    this.#fillingBytes += bytes.length;
    if (this.#fillingBytes < partBytes) return;
    const part = this.#takeFilling();
    if (this.#first) await this.#guard(() => this.#send(this.#sent.length + 2, part));
    else this.#first = part;
  }

  complete(start: Uint8Array = new Uint8Array()): Promise<void> {
    return this.#guard(async () => {
      const rest = this.#takeFilling();
      if (this.#first) await this.#completeParts(replaceStart(this.#first, start), rest);
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
    await this.#sending.catch(() => undefined);
    const uploadId = await this.#uploadId?.catch(() => undefined);
    if (uploadId === undefined) return;
    this.#uploadId = undefined;
    try {
      await this.#multipart.abort(this.#key, uploadId);
    } catch (error) {
      // The bucket's lifecycle rule removes the rest of an upload after a day.
      logger.warn("upload.not_aborted", { reason: describeError(error) });
    }
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      this.#sending = work();
      await this.#sending;
    } catch (error) {
      await this.abort();
      throw storageFailure(error);
    }
  }

  #takeFilling(): Buffer {
    const bytes = Buffer.concat(this.#filling);
    this.#filling = [];
    this.#fillingBytes = 0;
    return bytes;
  }

  async #putWhole(Body: Buffer): Promise<void> {
    const input = { ...this.#bucket.at(this.#key), ContentType: this.#contentType, Body };
    await this.#bucket.call((send) => send((s3) => new s3.PutObjectCommand(input)), this.#cancellation);
  }

  async #completeParts(first: Buffer, rest: Buffer): Promise<void> {
    if (rest.length > 0) await this.#send(this.#sent.length + 2, rest);
    await this.#send(1, first);
    const parts = this.#sent.toSorted((one, other) => one.number - other.number);
    await this.#multipart.complete(this.#key, await this.#begin(), parts);
  }

  async #send(number: number, Body: Buffer): Promise<void> {
    const UploadId = await this.#begin();
    const input = { ...this.#bucket.at(this.#key), UploadId, PartNumber: number, Body };
    const sent = this.#bucket.call(
      (send) => send((s3) => new s3.UploadPartCommand(input)),
      this.#cancellation,
    );
    const { ETag: tag } = await sent;
    if (tag === undefined) throw new Error("S3 took a part without giving it a tag.");
    this.#sent.push({ number, tag });
  }

  /** Aborting does not end it: an upload whose id was never received could not be aborted. */
  #begin(): Promise<string> {
    this.#uploadId ??= this.#multipart.begin(this.#key, { contentType: this.#contentType });
    return this.#uploadId;
  }
}

const replaceStart = (bytes: Buffer, start: Uint8Array): Buffer => {
  if (start.length > bytes.length) throw new Error("The new beginning is longer than what was written.");
  bytes.set(start);
  return bytes;
};
