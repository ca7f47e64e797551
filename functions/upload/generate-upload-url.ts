import type { ObjectLinks } from "../../shared/platform/storage/object-store.ts";
import { nameUpload } from "../../shared/recordings/uploads/name-upload.ts";
import type { UploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import type { UploadRequest, UploadResponse } from "./contract.ts";

export interface UploadDependencies {
  readonly store: Pick<ObjectLinks, "signUpload">;
  readonly uploads: Pick<UploadsRepository, "add">;
}

/**
 * Creates an upload link and stores whose it is.
 *
 * @param userId `undefined` without a valid token.
 * @throws the errors of {@link nameUpload} and of the store.
 */
export const generateUploadUrl = async (
  { file_name: fileName, content_type: contentType, size }: UploadRequest,
  userId: number | undefined,
  { store, uploads }: UploadDependencies,
): Promise<UploadResponse> => {
  const { fileId, objectKey } = nameUpload(fileName);
  const { url, expiresAt } = await store.signUpload(objectKey, { contentType, size });
  await uploads.add(fileId, { objectKey, contentType, userId, size });
  return { upload_url: url, file_id: fileId, expires_at: expiresAt.toISOString() };
};
