import { randomUUID } from "node:crypto";
import { type AudioKind, audioKinds } from "../../shared/audio/encode/audio-formats.ts";
import { dayMilliseconds } from "../../shared/platform/durations.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { LinkedObjectStore } from "../../shared/platform/storage/object-store.ts";
import { speechFolder, speechFolderOf } from "../../shared/platform/storage/object-store.ts";
import type { SpeechDependencies } from "./dependencies.ts";
import type { LinkResponse } from "./speech-results.ts";

/** Where speech is stored, and for how many days. */
export interface SpeechStorage extends Pick<SpeechDependencies, "speechLifetimeDays"> {
  readonly store: Pick<LinkedObjectStore, "describe" | "signDownload">;
}

/** How a browser shows speech when its link is opened. */
export const speechPresentation = ({ contentType, fileExtension }: AudioKind) => ({
  contentType,
  fileName: `speech.${fileExtension}`,
});

const shape = new RegExp(`^${speechFolder}(\\d{4}-\\d{2}-\\d{2})/(\\d+)/[0-9a-f]{32}\\.([a-z0-9]+)$`);

/** A new id of 32 hexadecimal digits. */
export const newSpeechId = (): string => randomUUID().replaceAll("-", "");

/** The key of stored speech: by day (UTC) and account, so its name shows the owner. */
export const speechObjectKey = (userId: number, id: string, { fileExtension }: AudioKind): string =>
  `${speechFolderOf(userId, new Date())}${id}.${fileExtension}`;

/** Whether speech of this day has been deleted, or will be within hours: the store deletes a day's speech at midnight. */
const isPast = (day: string, lifetimeDays: number | undefined): boolean =>
  lifetimeDays !== undefined &&
  lifetimeDays > 0 &&
  Date.parse(day) + (lifetimeDays + 1) * dayMilliseconds <= Date.now();

/** The kind of the account's speech with this name; `undefined` when the account cannot have such a name. */
const kindOfSpeech = (
  userId: number,
  objectKey: string,
  lifetimeDays: number | undefined,
): AudioKind | undefined => {
  const [, day = "", owner, extension] = shape.exec(objectKey) ?? [];
  if (owner !== String(userId) || isPast(day, lifetimeDays)) return undefined;
  return Object.values(audioKinds).find(({ fileExtension }) => fileExtension === extension);
};

/** The message for speech that is not stored, for any reason. */
const noSpeech = (lifetimeDays: number | undefined): string =>
  lifetimeDays
    ? `There is no stored speech with this name. Speech is stored for ${lifetimeDays} ${lifetimeDays === 1 ? "day" : "days"}.`
    : "There is no stored speech with this name.";

/**
 * Signs a fresh link to stored speech. @param field the name of the field in the request.
 * @throws AppError `not_found`, in the same words for speech that is gone, another account's, or never existed.
 */
export const refreshLink = async (
  objectKey: string,
  userId: number,
  { store, speechLifetimeDays }: SpeechStorage,
  field = "storage_object",
): Promise<LinkResponse> => {
  const kind = kindOfSpeech(userId, objectKey, speechLifetimeDays);
  if (!kind || !(await store.describe(objectKey))) {
    throw new AppError("not_found", {
      message: noSpeech(speechLifetimeDays),
      param: field,
    });
  }
  const { url, expiresAt } = await store.signDownload(objectKey, speechPresentation(kind));
  return { audio_url: url, audio_url_expires_at: expiresAt.toISOString(), storage_object: objectKey };
};
