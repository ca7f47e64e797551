import { randomUUID } from "node:crypto";
import { AppError } from "../../shared/errors/app-error.ts";
import { uploadsFolder } from "../../shared/storage/folders.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";
import type { UploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import type { UploadRequest, UploadResponse } from "./contract.ts";
import { isPathTraversal, safeFileName } from "./file-name.ts";

/** Everything that making an upload link touches. */
export interface UploadDependencies {
  readonly store: Pick<ObjectStore, "signUpload">;
  readonly uploads: Pick<UploadsRepository, "add">;
}

/**
 * Makes a link through which a file can be uploaded, and remembers whose it is.
 *
 * @param userId `undefined` when whoever asks sent no valid token.
 * @throws AppError `bad_request` for a file name that looks like a path traversal; what the store throws.
 */
export const generateUploadUrl = async (
  { file_name: fileName, content_type: contentType }: UploadRequest,
  userId: number | undefined,
  { store, uploads }: UploadDependencies,
): Promise<UploadResponse> => {
  if (isPathTraversal(fileName)) {
    throw new AppError("bad_request", {
      message: "The file name is not allowed: it looks like a path traversal.",
      param: "file_name",
    });
  }
  const fileId = randomUUID();
  const objectKey = `${uploadsFolder}${fileId}/${safeFileName(fileName)}`;
  const { url, expiresAt } = await store.signUpload(objectKey, { contentType });
  await uploads.add(fileId, { objectKey, contentType, userId });
  return { upload_url: url, file_id: fileId, expires_at: expiresAt.toISOString() };
};
