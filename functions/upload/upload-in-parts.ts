import { AppError } from "../../shared/platform/errors/app-error.ts";
import {
  type LinkedObjectStore,
  type ObjectPart,
  type ObjectParts,
  partBytes,
} from "../../shared/platform/storage/object-store.ts";
import { nameUpload } from "../../shared/recordings/uploads/name-upload.ts";
import type { UploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import type { PartedUploadRequest } from "./contract.ts";

/** What uploads in parts need. Only the object store knows which parts have arrived. */
export interface PartsDependencies {
  readonly store: Pick<LinkedObjectStore, "delete" | "describe" | "signPart">;
  readonly parts: ObjectParts;
  readonly uploads: Pick<UploadsRepository, "addParted" | "findParted" | "remove">;
}

/** Returns the parts of a file of this size, in order. */
const planParts = (size: number): (ObjectPart & { readonly start: number })[] =>
  Array.from({ length: Math.ceil(size / partBytes) }, (_, index) => {
    const start = index * partBytes;
    return { number: index + 1, start, size: Math.min(partBytes, size - start) };
  });

/** The same for uploads that are unknown, expired, not in parts or of another account. */
const noUpload = (): AppError =>
  new AppError("not_found", { message: "There is no such upload, or it has expired.", param: "id" });

const requireUpload = async (id: string, userId: number, { uploads }: PartsDependencies) => {
  const upload = await uploads.findParted(id.toLowerCase(), userId);
  if (!upload) throw noUpload();
  return upload;
};

const outlineOf = (id: string, size: number, expiresAt: Date) => ({
  id,
  part_size: partBytes,
  part_count: planParts(size).length,
  expires_at: expiresAt.toISOString(),
});

/** Starts an upload in parts and stores whose it is. @throws the errors of {@link nameUpload} and of the store. */
export const beginUpload = async (
  { file_name: fileName, content_type: contentType, size }: PartedUploadRequest,
  userId: number,
  { parts, uploads }: PartsDependencies,
) => {
  const { fileId, objectKey } = nameUpload(fileName);
  const multipartId = await parts.begin(objectKey, { contentType });
  const expiresAt = await uploads.addParted(fileId, { objectKey, contentType, userId, size, multipartId });
  return outlineOf(fileId, size, expiresAt);
};

/**
 * Creates links for parts of an upload, even if they have arrived.
 *
 * @throws AppError `not_found`; `bad_request` for a number without a part; the store's errors.
 */
export const signParts = async (
  id: string,
  numbers: readonly number[],
  userId: number,
  dependencies: PartsDependencies,
) => {
  const { objectKey, multipartId, size } = await requireUpload(id, userId, dependencies);
  const planned = planParts(size);
  const signed = await Promise.all(
    [...new Set(numbers)].map(async (number) => {
      const part = planned[number - 1];
      if (part) return { part, link: await dependencies.store.signPart(objectKey, multipartId, part) };
      throw new AppError("bad_request", {
        message: `The upload has no part ${number}: its parts are numbered from 1 to ${planned.length}.`,
        param: "numbers",
      });
    }),
  );
  return {
    parts: signed.map(({ part, link }) => ({ ...part, upload_url: link.url })),
    // All links work until then.
    expires_at: new Date(
      signed.reduce((first, { link }) => Math.min(first, link.expiresAt.getTime()), Number.POSITIVE_INFINITY),
    ).toISOString(),
  };
};

/** @throws AppError `not_found`; the store's errors. */
export const showUpload = async (id: string, userId: number, dependencies: PartsDependencies) => {
  const { objectKey, multipartId, size, expiresAt } = await requireUpload(id, userId, dependencies);
  const shown = { ...outlineOf(id.toLowerCase(), size, expiresAt), size };
  const arrived = await dependencies.parts.list(objectKey, multipartId);
  if (arrived) {
    return {
      ...shown,
      status: "uploading" as const,
      arrived: arrived.map(({ number }) => number),
      file_id: null,
    };
  }
  if (!(await dependencies.store.describe(objectKey))) throw noUpload();
  const numbers = planParts(size).map(({ number }) => number);
  return { ...shown, status: "completed" as const, arrived: numbers, file_id: shown.id };
};

/**
 * Joins the parts into one file. Safe to repeat: it returns the existing file.
 *
 * @throws AppError `not_found`; `upload_incomplete` when a part has not arrived; the store's errors.
 */
export const completeUpload = async (id: string, userId: number, dependencies: PartsDependencies) => {
  const { objectKey, multipartId, size, expiresAt } = await requireUpload(id, userId, dependencies);
  const { parts, store } = dependencies;
  const arrived = await parts.list(objectKey, multipartId);
  if (arrived) {
    const whole = planParts(size).map((part) =>
      arrived.find((other) => other.number === part.number && other.size === part.size),
    );
    const missing = whole.flatMap((part, index) => (part ? [] : [index + 1]));
    if (missing.length > 0) {
      throw new AppError("upload_incomplete", {
        message: `These parts have not arrived yet: ${missing.join(", ")}. Send them, then complete the upload again.`,
      });
    }
    await parts.complete(
      objectKey,
      multipartId,
      whole.flatMap((part) => part ?? []),
    );
  }
  const stored = await store.describe(objectKey);
  if (!stored) throw noUpload();
  return { file_id: id.toLowerCase(), size: stored.size, expires_at: expiresAt.toISOString() };
};

/** Cancels an upload, or deletes its file. @throws AppError `not_found`; the store's errors. */
export const deleteUpload = async (
  id: string,
  userId: number,
  dependencies: PartsDependencies,
): Promise<null> => {
  const { objectKey, multipartId } = await requireUpload(id, userId, dependencies);
  // The file after the parts: a request that completes the upload in between creates a file, which is removed.
  await dependencies.parts.abort(objectKey, multipartId);
  await dependencies.store.delete(objectKey);
  await dependencies.uploads.remove(id.toLowerCase());
  return null;
};
