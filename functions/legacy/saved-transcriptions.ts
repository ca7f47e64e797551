import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { isLongerThan, trimAudio } from "../../shared/audio/read-audio.ts";
import type { RequestContext } from "../../shared/auth/caller.ts";
import type { Recording } from "../../shared/inference/transcription.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";
import { transcriptionsFolder, transcriptionsLifetimeDays } from "../../shared/storage/object-store.ts";
import type { Table } from "../../shared/storage/table.ts";
import { audioFailure, type MeasuredRecording } from "../transcription/open-recording.ts";
import { transcriptionKeys } from "./keys.ts";

const counterItem = z.object({ value: z.int() });

/** A transcription to be saved. */
export interface NewTranscription {
  readonly userId: number;
  readonly text: string;
  /** ISO 639-3. */
  readonly language: string;
  /** Where the object store has the audio. */
  readonly objectKey: string;
}

/** Where transcriptions are saved. */
export interface SavedTranscriptions {
  /** @returns the transcription's id, which no other one ever has. */
  add(transcription: NewTranscription): Promise<number>;
}

/** Saved transcriptions in the service's table; S1 and S2 of this folder's README. */
export const createSavedTranscriptions = ({ client, name: TableName }: Table): SavedTranscriptions => {
  const nextId = async (): Promise<number> => {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName,
        Key: transcriptionKeys.idCounter(),
        UpdateExpression: "ADD #value :one",
        ExpressionAttributeNames: { "#value": "value" },
        ExpressionAttributeValues: { ":one": 1 },
        ReturnValues: "UPDATED_NEW",
      }),
    );
    return counterItem.parse(Attributes).value;
  };

  return {
    add: async ({ userId, text, language, objectKey }) => {
      const id = await nextId();
      const now = new Date();
      await client.send(
        new PutCommand({
          TableName,
          Item: {
            ...transcriptionKeys.transcription(id),
            id,
            user_id: userId,
            text,
            language,
            object_key: objectKey,
            created_at: now.toISOString(),
            expires_at: Math.floor(now.getTime() / 1_000) + transcriptionsLifetimeDays * 24 * 60 * 60,
          },
        }),
      );
      return id;
    },
  };
};

/** How much of a recording is transcribed (specification, Limits). */
const longestSeconds = 10 * 60;

/** A recording in the store, of which nothing is longer than is transcribed. */
export interface KeptRecording {
  readonly objectKey: string;
  readonly recording: Recording;
  readonly isTrimmed: boolean;
}

const newObjectKey = (userId: number, fileExtension: string): string =>
  `${transcriptionsFolder}${new Date().toISOString().slice(0, 10)}/${userId}/` +
  `${randomUUID().replaceAll("-", "")}.${fileExtension}`;

/**
 * Stores a recording, or its first ten minutes when it is longer, as it is encoded.
 *
 * @param field of the request that has the recording.
 * @throws AppError `unreadable_audio` when its encoding cannot be cut; what the store throws. Nothing stays stored then.
 */
export const keepRecording = async (
  measured: MeasuredRecording,
  field: string,
  { userId, signal }: RequestContext,
  store: Pick<ObjectStore, "open" | "write">,
): Promise<KeptRecording> => {
  const objectKey = newObjectKey(userId, measured.fileExtension);
  const writer = store.write(objectKey, { contentType: measured.mediaType });
  try {
    for await (const piece of trimAudio(measured.source, measured, longestSeconds, { signal })) {
      await writer.write(piece);
    }
    await writer.complete();
  } catch (error) {
    throw audioFailure(error, field);
  } finally {
    await writer.abort();
  }
  if (!isLongerThan(measured, longestSeconds)) return { objectKey, recording: measured, isTrimmed: false };
  const source = await store.open(objectKey);
  if (!source) throw new Error("The recording that has just been stored is not there.");
  return { objectKey, recording: { ...measured, source }, isTrimmed: true };
};
