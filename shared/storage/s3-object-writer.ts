import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { describeError, logger } from "../telemetry/logger.ts";
import type { ObjectWriter } from "./object-store.ts";
import type { Bucket } from "./s3-calls.ts";
import { callStore, storageFailure } from "./s3-calls.ts";

/** S3 takes no smaller parts, except as the last one. */
const smallestPartBytes = 5 * 1024 * 1024;

/**
 * Writes an object of unknown length: a small one with a single request, a larger one in parts.
 *
 * The first part is kept back until the end, because its beginning may be replaced then. One part is on its way while
 * the next one fills, so that at most three parts are in memory.
 */
export class S3ObjectWriter implements ObjectWriter {
  readonly #bucket: Bucket;
  readonly #object: { readonly Bucket: string; readonly Key: string };
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
    this.#object = { Bucket: bucket.name, Key: key };
    this.#contentType = contentType;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#filling.push(bytes);
    this.#fillingBytes += bytes.length;
    if (this.#fillingBytes < smallestPartBytes) return;
    const part = this.#takeFilling();
    if (!this.#first) {
      this.#first = part;
      return;
    }
    await this.#guard(() => this.#uploading);
    this.#uploading = this.#uploadPart(this.#nextNumber(), part);
    // A failure is told by the next call; until then it must not count as unhandled.
    this.#uploading.catch(() => undefined);
  }

  complete(beginning: Uint8Array = new Uint8Array()): Promise<void> {
    return this.#guard(async () => {
      const rest = this.#takeFilling();
      if (this.#first) await this.#completeParts(this.#first, beginning, rest);
      else await this.#putWhole(replaceBeginning(rest, beginning));
      this.#isStored = true;
    });
  }

  async abort(): Promise<void> {
    if (this.#isStored) return;
    this.#filling = [];
    this.#first = undefined;
    // A part that arrives after the abort would stay, so nothing may be on its way any more.
    this.#cancellation.abort();
    await this.#uploading.catch(() => undefined);
    const UploadId = await this.#uploadId?.catch(() => undefined);
    if (UploadId === undefined) return;
    this.#uploadId = undefined;
    try {
      // Whoever waits for this has been waiting for the store already.
      await callStore(this.#bucket.timeouts.answer, (abortSignal) =>
        this.#bucket.client.send(new AbortMultipartUploadCommand({ ...this.#object, UploadId }), {
          abortSignal,
        }),
      );
    } catch (error) {
      // The bucket's lifecycle rule removes what is left of an upload after a day.
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

  #call<Result>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return callStore(this.#bucket.timeouts.call, call);
  }

  /** A call that giving up ends. */
  #callUntilAborted<Result>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.#call((deadline) => call(AbortSignal.any([deadline, this.#cancellation.signal])));
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
    const command = new PutObjectCommand({ ...this.#object, ContentType: this.#contentType, Body: body });
    await this.#callUntilAborted((abortSignal) => this.#bucket.client.send(command, { abortSignal }));
  }

  async #completeParts(first: Buffer, beginning: Uint8Array, rest: Buffer): Promise<void> {
    await this.#uploading;
    this.#uploading = this.#uploadPart(1, replaceBeginning(first, beginning));
    await this.#uploading;
    if (rest.length > 0) await this.#uploadPart(this.#nextNumber(), rest);
    const Parts = [...this.#tags]
      .toSorted(([one], [other]) => one - other)
      .map(([PartNumber, ETag]) => ({ PartNumber, ETag }));
    const command = new CompleteMultipartUploadCommand({
      ...this.#object,
      UploadId: await this.#begin(),
      MultipartUpload: { Parts },
    });
    await this.#call((abortSignal) => this.#bucket.client.send(command, { abortSignal }));
  }

  async #uploadPart(PartNumber: number, Body: Buffer): Promise<void> {
    const UploadId = await this.#begin();
    const command = new UploadPartCommand({ ...this.#object, UploadId, PartNumber, Body });
    const { ETag } = await this.#callUntilAborted((abortSignal) =>
      this.#bucket.client.send(command, { abortSignal }),
    );
    if (ETag === undefined) throw new Error("S3 took a part without giving it a tag.");
    this.#tags.set(PartNumber, ETag);
  }

  /** Giving up does not end it: an upload whose id nobody received could not be aborted. */
  #begin(): Promise<string> {
    this.#uploadId ??= this.#call(async (abortSignal) => {
      const command = new CreateMultipartUploadCommand({ ...this.#object, ContentType: this.#contentType });
      const { UploadId } = await this.#bucket.client.send(command, { abortSignal });
      if (UploadId === undefined) throw new Error("S3 began an upload without giving it an id.");
      return UploadId;
    });
    return this.#uploadId;
  }
}

const replaceBeginning = (bytes: Buffer, beginning: Uint8Array): Buffer => {
  if (beginning.length > bytes.length) throw new Error("The new beginning is longer than what was written.");
  bytes.set(beginning);
  return bytes;
};
