import { randomUUID } from "node:crypto";
import { AppError } from "../../platform/errors/app-error.ts";
import { uploadsFolder } from "../../platform/storage/object-store.ts";

const maxStemLength = 100;
const fallback = "file";

/** Decodes the characters of paths that are percent-encoded, even several times. */
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

const isFolder = (name: string): boolean => /(?:^|[/\\])\.$/.test(decodePathCharacters(name).trim());

/**
 * Converts a file name for an object key: letters and digits of any script, dots, hyphens and underscores; at most 111 characters
 * with the extension; never empty.
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

/** Creates the id and the object key of an upload. @throws AppError `bad_request` for a path traversal or a folder's name. */
export const nameUpload = (fileName: string): { readonly fileId: string; readonly objectKey: string } => {
  const refuse = (reason: string) =>
    new AppError("bad_request", { message: `The file name is not allowed: ${reason}.`, param: "file_name" });
  if (isPathTraversal(fileName)) throw refuse("it looks like a path traversal");
  if (isFolder(fileName)) throw refuse("it names a folder, not a file");
  const fileId = randomUUID();
  return { fileId, objectKey: `${uploadsFolder}${fileId}/${safeFileName(fileName)}` };
};
