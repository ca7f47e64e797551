import { AppError } from "../../shared/platform/errors/app-error.ts";
import {
  type ObjectPart,
  type ObjectParts,
  type ObjectStore,
  partBytes,
} from "../../shared/platform/storage/object-store.ts";
import type { UploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import type { PartedUploadRequest } from "./contract.ts";
import { nameUpload } from "./generate-upload-url.ts";

/** Everything that uploads in parts touch. What has arrived only the store knows; nothing of it is written down twice. */
export interface PartsDependencies {
  readonly store: Pick<ObjectStore, "delete" | "describe">;
  readonly parts: ObjectParts;
  readonly uploads: Pick<UploadsRepository, "addParted" | "findParted" | "remove">;
}

/** The parts of a file of so many bytes, in their order. */
const planParts = (size: number): (ObjectPart & { readonly start: number })[] =>
  Array.from({ length: Math.ceil(size / partBytes) }, (_, index) => {
    const start = index * partBytes;
    return { number: index + 1, start, size: Math.min(partBytes, size - start) };
  });

/** What is unknown, too old, not in parts or another account's looks the same. */
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

/**
 * Begins an upload in parts, and remembers whose it is.
 *
 * @throws AppError as {@link nameUpload} does; what the store throws.
 */
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
 * Makes links for parts of an upload, whether they have arrived or not.
 *
 * @throws AppError `not_found`; `bad_request` for a number that no part has; what the store throws.
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
      if (part) return { part, link: await dependencies.parts.sign(objectKey, multipartId, part) };
      throw new AppError("bad_request", {
        message: `The upload has no part ${number}: its parts are numbered from 1 to ${planned.length}.`,
        param: "numbers",
      });
    }),
  );
  return {
    parts: signed.map(({ part, link }) => ({ ...part, upload_url: link.url })),
    // Whoever uses the last link has used the others before.
    expires_at: new Date(Math.min(...signed.map(({ link }) => link.expiresAt.getTime()))).toISOString(),
  };
};

/** @throws AppError `not_found`; what the store throws. */
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
 * Makes one file of the parts. Asked for again, also because an answer was lost, it finds the file that is there.
 *
 * @throws AppError `not_found`; `upload_incomplete` as long as a part has not arrived; what the store throws.
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

/** Gives an upload up, or removes its file. @throws AppError `not_found`; what the store throws. */
export const deleteUpload = async (
  id: string,
  userId: number,
  dependencies: PartsDependencies,
): Promise<null> => {
  const { objectKey, multipartId } = await requireUpload(id, userId, dependencies);
  // The file after the parts: who completes the upload meanwhile has a file, which is removed.
  await dependencies.parts.abort(objectKey, multipartId);
  await dependencies.store.delete(objectKey);
  await dependencies.uploads.remove(id.toLowerCase());
  return null;
};
