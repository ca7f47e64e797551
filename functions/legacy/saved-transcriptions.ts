import * as z from "zod";
import { createOwnedItems } from "../../shared/accounts/repositories/owned-items.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { transcriptionsLifetimeDays } from "../../shared/platform/storage/object-store.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { transcriptionKeys } from "../../shared/recordings/saved-transcriptions/keys.ts";

const counterItem = z.object({ value: z.int() });
const transcriptionItem = z.object({ user_id: z.int(), object_key: z.string() });
const recordingItem = z.object({ transcriptions: z.set(z.int()).optional() });

/** A new transcription. */
export interface NewTranscription {
  readonly userId: number;
  readonly text: string;
  /** ISO 639-3. */
  readonly language: string;
  /** The stored audio. */
  readonly objectKey: string;
}

/**
 * Saved transcriptions. Those of one upload share one stored recording: each holds it before it is stored, and releases it when it
 * fails or is deleted.
 */
export type SavedTranscriptions = ReturnType<typeof createSavedTranscriptions>;

const nextExpiry = (now = Date.now()): number =>
  Math.floor(now / 1_000) + transcriptionsLifetimeDays * daySeconds;

const nextId = async (table: Table): Promise<number> => {
  const { item } = await table.update({
    Key: transcriptionKeys.idCounter(),
    UpdateExpression: "ADD #value :one",
    ExpressionAttributeNames: { "#value": "value" },
    ExpressionAttributeValues: { ":one": 1 },
  });
  return counterItem.parse(item).value;
};

/** @returns the transcriptions that need the recording afterwards. */
const changeRecording = async (table: Table, objectKey: string, change: "ADD" | "DELETE", id: number) => {
  const { item } = await table.update({
    Key: transcriptionKeys.recording(objectKey),
    UpdateExpression: `${change} transcriptions :ids SET expires_at = :expiry`,
    ExpressionAttributeValues: { ":ids": new Set([id]), ":expiry": nextExpiry() },
  });
  return recordingItem.parse(item).transcriptions ?? new Set<number>();
};

/** Creates the repository of saved transcriptions; S1 to S3 of this folder's README. */
export const createSavedTranscriptions = (table: Table) => {
  const ownedItems = createOwnedItems(table);

  const remove = async (id: number, userId: number): Promise<void> => {
    const key = transcriptionKeys.transcription(id);
    await table.delete(key);
    // Last, because deleting the account needs it to find the rest.
    await ownedItems.forget(userId, key);
  };

  return {
    /** Holds a recording for a new transcription. @returns the unique id of the transcription. */
    begin: async (objectKey: string): Promise<number> => {
      const id = await nextId(table);
      await changeRecording(table, objectKey, "ADD", id);
      return id;
    },

    /** @throws AppError `unauthenticated` when the account was deleted in the meantime; then nothing is saved. */
    save: async (id: number, { userId, text, language, objectKey }: NewTranscription): Promise<void> => {
      const now = new Date();
      const expiresAt = nextExpiry(now.getTime());
      const key = transcriptionKeys.transcription(id);
      const recording = transcriptionKeys.recording(objectKey);
      await ownedItems.note(userId, { items: [key, recording], objects: [objectKey], expiresAt });
      await table.put({
        ...key,
        id,
        user_id: userId,
        text,
        language,
        object_key: objectKey,
        created_at: now.toISOString(),
        expires_at: expiresAt,
      });
      try {
        await ownedItems.requireAccount(userId);
      } catch (error) {
        await remove(id, userId);
        throw error;
      }
    },

    /** Releases a recording. @returns whether no other transcription needs it. */
    release: async (id: number, objectKey: string): Promise<boolean> =>
      (await changeRecording(table, objectKey, "DELETE", id)).size === 0,

    /** Returns the object key of the audio; `undefined` when the account has no such transcription. */
    find: async (id: number, userId: number): Promise<string | undefined> => {
      const item = await table.read({ Key: transcriptionKeys.transcription(id) });
      if (!item) return undefined;
      const transcription = transcriptionItem.parse(item);
      return transcription.user_id === userId ? transcription.object_key : undefined;
    },

    delete: remove,
  };
};
