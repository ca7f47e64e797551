import { randomBytes } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Table } from "../storage/table.ts";
import { accountKeys } from "./keys.ts";

/** What a mailed link may be used for. */
export type LinkPurpose = "verify-email" | "reset-password";

/** How long a link of each purpose works, in seconds. */
export const linkLifetimeSeconds: Readonly<Record<LinkPurpose, number>> = {
  "verify-email": 24 * 60 * 60,
  "reset-password": 30 * 60,
};

const linkItem = z.object({ user_id: z.int(), expires_at: z.int() });

/** Mailed one-time links in the table. */
export type LinksRepository = ReturnType<typeof createLinksRepository>;

/** The repository of mailed links over the service's table; access pattern L1 of this folder's README. */
export const createLinksRepository = ({ client, name: TableName }: Table) => ({
  /** Makes a link. @returns its secret (256 random bits), which is stored nowhere. */
  create: async (userId: number, purpose: LinkPurpose): Promise<string> => {
    const secret = randomBytes(32).toString("base64url");
    await client.send(
      new PutCommand({
        TableName,
        Item: {
          ...accountKeys.link(secret),
          user_id: userId,
          purpose,
          expires_at: Math.floor(Date.now() / 1_000) + linkLifetimeSeconds[purpose],
        },
      }),
    );
    return secret;
  },

  /** Uses a link up. @returns whose it was; `undefined` when it is unknown, expired, used or of another purpose. */
  use: async (secret: string, purpose: LinkPurpose): Promise<number | undefined> => {
    try {
      const { Attributes } = await client.send(
        new DeleteCommand({
          TableName,
          Key: accountKeys.link(secret),
          ConditionExpression: "purpose = :purpose AND expires_at > :now",
          ExpressionAttributeValues: { ":purpose": purpose, ":now": Math.floor(Date.now() / 1_000) },
          ReturnValues: "ALL_OLD",
        }),
      );
      return linkItem.parse(Attributes).user_id;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  },
});
