import { randomUUID } from "node:crypto";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { uploadsFolder } from "../../shared/platform/storage/object-store.ts";
import type { UploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import type { UploadRequest, UploadResponse } from "./contract.ts";

const maxStemLength = 100;
const fallback = "file";

/** The characters that matter to a path, also when they are percent-encoded, once or several times. */
const decodePathCharacters = (name: string): string => {
  for (let current = name; ; ) {
    const next = current.replaceAll(/%(25|2e|2f|5c)/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === current) return current;
    current = next;
  }
};

/**
 * Whether a file name tries to leave its folder: two dots in a row anywhere, or a slash or backslash at the start,
 * plain or percent-encoded.
 */
export const isPathTraversal = (name: string): boolean => {
  const decoded = decodePathCharacters(name);
  return decoded.includes("..") || /^[/\\]/.test(decoded);
};

/** Whether a file name names a folder, the one it stands in, and so no file. */
const isFolder = (name: string): boolean => /(?:^|[/\\])\.$/.test(decodePathCharacters(name).trim());

/**
 * What of a file name goes into an object's key: letters and digits of any script, dots, hyphens and underscores; at
 * most 111 characters, the extension among them. Never empty.
 */
export const safeFileName = (name: string): string => {
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const stem = name
    .slice(0, name.length - extension.length)
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, "_")
    .replaceAll(/^[\p{M}._-]+|[._-]+$/gu, "");
  const short = [...stem].slice(0, maxStemLength).join("");
  return (short || fallback) + extension;
};

/**
 * A new upload: its id, and where the object store will have it.
 *
 * @throws AppError `bad_request` for a file name that looks like a path traversal, or names a folder.
 */
export const nameUpload = (fileName: string): { readonly fileId: string; readonly objectKey: string } => {
  if (isPathTraversal(fileName)) {
    throw new AppError("bad_request", {
      message: "The file name is not allowed: it looks like a path traversal.",
      param: "file_name",
    });
  }
  if (isFolder(fileName)) {
    throw new AppError("bad_request", {
      message: "The file name is not allowed: it names a folder, not a file.",
      param: "file_name",
    });
  }
  const fileId = randomUUID();
  return { fileId, objectKey: `${uploadsFolder}${fileId}/${safeFileName(fileName)}` };
};

/** Everything that making an upload link touches. */
export interface UploadDependencies {
  readonly store: Pick<ObjectStore, "signUpload">;
  readonly uploads: Pick<UploadsRepository, "add">;
}

/**
 * Makes a link through which a file can be uploaded, and remembers whose it is.
 *
 * @param userId `undefined` when whoever asks sent no valid token.
 * @throws AppError as {@link nameUpload} does; what the store throws.
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
