import { randomUUID } from "node:crypto";
import { AppError } from "../../shared/errors/app-error.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";
import { speechFolder, speechFolderOf } from "../../shared/storage/object-store.ts";
import type { LinkResponse } from "./contract.ts";

/** The content type of all speech, stored or streamed. */
export const speechContentType = "audio/wav";

/** How a link presents the speech to whoever opens it. */
export const speechPresentation = { contentType: speechContentType, fileName: "speech.wav" } as const;

const shape = new RegExp(`^${speechFolder}\\d{4}-\\d{2}-\\d{2}/(\\d+)/[0-9a-f]{32}\\.wav$`);

/** 32 hexadecimal digits, never the same. */
export const newSpeechId = (): string => randomUUID().replaceAll("-", "");

/** Where speech is stored: by day (UTC) and by the account that made it, so that a name tells whose it is. */
export const speechObjectKey = (userId: number, id: string): string =>
  `${speechFolderOf(userId, new Date())}${id}.wav`;

/** Whether a name is one that speech of this account can have. */
export const isSpeechOf = (userId: number, objectKey: string): boolean =>
  shape.exec(objectKey)?.[1] === String(userId);

/**
 * Signs a fresh link to stored speech.
 *
 * @param field in which the request names it.
 * @throws AppError `not_found`, in the same words for speech that is gone, of another account, or never was.
 */
export const refreshLink = async (
  objectKey: string,
  userId: number,
  store: Pick<ObjectStore, "describe" | "signDownload">,
  field = "storage_object",
): Promise<LinkResponse> => {
  if (!isSpeechOf(userId, objectKey) || !(await store.describe(objectKey))) {
    throw new AppError("not_found", {
      message: "There is no stored speech of this name.",
      param: field,
    });
  }
  const { url, expiresAt } = await store.signDownload(objectKey, speechPresentation);
  return { audio_url: url, audio_url_expires_at: expiresAt.toISOString(), storage_object: objectKey };
};
