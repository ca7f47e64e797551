import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { transcriptionsLifetimeDays } from "../../shared/storage/folders.ts";
import type { Table } from "../../shared/storage/table.ts";
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
