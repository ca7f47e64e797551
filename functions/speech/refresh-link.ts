import { AppError } from "../../shared/errors/app-error.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";
import type { LinkResponse } from "./contract.ts";
import { isSpeechOf, speechPresentation } from "./speech-object.ts";

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
