import * as z from "zod";
import { createOwnedItems } from "../../shared/accounts/repositories/owned-items.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { transcriptionsLifetimeDays } from "../../shared/platform/storage/object-store.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { transcriptionKeys } from "./keys.ts";

const counterItem = z.object({ value: z.int() });
const transcriptionItem = z.object({ user_id: z.int(), object_key: z.string() });
const recordingItem = z.object({ transcriptions: z.set(z.int()).optional() });

/** A transcription to be saved. */
export interface NewTranscription {
  readonly userId: number;
  readonly text: string;
  /** ISO 639-3. */
  readonly language: string;
  /** Where the object store has the audio. */
  readonly objectKey: string;
}

/**
 * Where transcriptions are saved. Those of one upload share one recording, which is counted by the transcriptions that need
 * it: each takes hold of it before it is stored, and lets go when it fails or is deleted.
 */
export interface SavedTranscriptions {
  /** Takes hold of a recording for a new transcription. @returns its id, which no other one ever has. */
  begin(objectKey: string): Promise<number>;
  /** @throws AppError `unauthenticated` when the account is deleted meanwhile; then nothing is saved. */
  save(id: number, transcription: NewTranscription): Promise<void>;
  /** Lets go of a recording. @returns whether no other transcription needs it. */
  release(id: number, objectKey: string): Promise<boolean>;
  /** Where the audio of an account's transcription is; `undefined` when it has none of this id. */
  find(id: number, userId: number): Promise<string | undefined>;
  delete(id: number, userId: number): Promise<void>;
}

const nextExpiry = (now = Date.now()): number =>
  Math.floor(now / 1_000) + transcriptionsLifetimeDays * daySeconds;

/** Saved transcriptions in the service's table; S1 to S3 of this folder's README. */
export const createSavedTranscriptions = (table: Table): SavedTranscriptions => {
  const ownedItems = createOwnedItems(table);

  const remove = async (id: number, userId: number): Promise<void> => {
    const key = transcriptionKeys.transcription(id);
    await table.delete(key);
    // Last: as long as it is there, the deletion of the account finds what is left.
    await ownedItems.forget(userId, key);
  };

  const nextId = async (): Promise<number> => {
    const { item } = await table.update({
      Key: transcriptionKeys.idCounter(),
      UpdateExpression: "ADD #value :one",
      ExpressionAttributeNames: { "#value": "value" },
      ExpressionAttributeValues: { ":one": 1 },
    });
    return counterItem.parse(item).value;
  };

  const changeRecording = async (objectKey: string, change: "ADD" | "DELETE", id: number) => {
    const { item } = await table.update({
      Key: transcriptionKeys.recording(objectKey),
      UpdateExpression: `${change} transcriptions :ids SET expires_at = :expiry`,
      ExpressionAttributeValues: { ":ids": new Set([id]), ":expiry": nextExpiry() },
    });
    return recordingItem.parse(item).transcriptions ?? new Set<number>();
  };

  return {
    begin: async (objectKey) => {
      const id = await nextId();
      await changeRecording(objectKey, "ADD", id);
      return id;
    },

    save: async (id, { userId, text, language, objectKey }) => {
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

    release: async (id, objectKey) => (await changeRecording(objectKey, "DELETE", id)).size === 0,

    find: async (id, userId) => {
      const item = await table.read({ Key: transcriptionKeys.transcription(id) });
      if (!item) return undefined;
      const transcription = transcriptionItem.parse(item);
      return transcription.user_id === userId ? transcription.object_key : undefined;
    },

    delete: remove,
  };
};
