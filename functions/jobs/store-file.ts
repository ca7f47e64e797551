import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { nameUpload } from "../../shared/recordings/uploads/name-upload.ts";
import type { UploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";

export interface StoringDependencies {
  readonly uploads: Pick<UploadsRepository, "add" | "remove">;
  readonly store: Pick<ObjectStore, "delete" | "put">;
}

/** A file to store for its account. */
export interface FileToStore {
  readonly name: string;
  readonly content: Uint8Array;
  readonly contentType: string;
  readonly userId: number;
}

export interface StoredFile {
  readonly fileId: string;
  readonly objectKey: string;
}

/**
 * Stores a file as an upload of its account, which expires after a day.
 *
 * @throws AppError `bad_request` for a name that is a path; the errors of table and store.
 */
export const storeFile = async (
  { name, content, contentType, userId }: FileToStore,
  { uploads, store }: StoringDependencies,
): Promise<StoredFile> => {
  const { fileId, objectKey } = nameUpload(name);
  await uploads.add(fileId, { objectKey, contentType, userId, size: content.length });
  await store.put(objectKey, content, { contentType });
  return { fileId, objectKey };
};

/** Removes a stored file. Never rejects: it expires anyway. */
export const removeFile = async (
  { fileId, objectKey }: StoredFile,
  { uploads, store }: StoringDependencies,
): Promise<void> => {
  await Promise.allSettled([uploads.remove(fileId), store.delete(objectKey)]);
};
