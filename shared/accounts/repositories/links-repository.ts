import { randomBytes } from "node:crypto";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { daySeconds, minuteSeconds } from "../../platform/durations.ts";
import { cancellationCodes, type Table, writeTogether } from "../../platform/storage/table.ts";
import {
  type AccountAtEpoch,
  type AccountChange,
  emailVerification,
  passwordChange,
} from "../access/account.ts";
import { accountKeys } from "../access/keys.ts";

/** What a mailed link may be used for. */
export type LinkPurpose = "verify-email" | "reset-password";

/** How long a link of each purpose works. */
const lifetimeSeconds: Readonly<Record<LinkPurpose, number>> = {
  "verify-email": daySeconds,
  "reset-password": 30 * minuteSeconds,
};

const linkItem = z.object({
  user_id: z.int(),
  purpose: z.string(),
  expires_at: z.int(),
  /** The account's when the link was made; links of before it was kept have none, and set no password. */
  token_epoch: z.int().default(-1),
});

/** Mailed one-time links in the table. */
export type LinksRepository = ReturnType<typeof createLinksRepository>;

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/** The repository of mailed links over the service's table; access pattern L1 of this folder's README. */
export const createLinksRepository = (table: Table) => {
  const { client, name: TableName } = table;

  /**
   * Does what a link is for, as long as it works. A link that resets a password is used up with it: both are written, or
   * neither. One that verifies an address is left: to follow it again does no harm, and is told apart from a wrong one.
   *
   * The SDK gives every transaction a token. Should only the answer be lost, the second try succeeds as well, and does not
   * find the link used.
   */
  const use = async (
    secret: string,
    purpose: LinkPurpose,
    changes: readonly AccountChange[],
  ): Promise<boolean> => {
    const link = {
      TableName,
      Key: accountKeys.link(secret),
      ConditionExpression: "purpose = :purpose AND expires_at > :now",
      ExpressionAttributeValues: { ":purpose": purpose, ":now": nowInSeconds() },
    };
    try {
      await writeTogether(table, [
        purpose === "verify-email" ? { ConditionCheck: link } : { Delete: link },
        ...changes.map((change) => ({ Update: change })),
      ]);
      return true;
    } catch (error) {
      if (cancellationCodes(error).includes("ConditionalCheckFailed")) return false;
      throw error;
    }
  };

  return {
    /** Makes a link. @returns its secret (256 random bits), which is stored nowhere. */
    create: async ({ userId, tokenEpoch }: AccountAtEpoch, purpose: LinkPurpose): Promise<string> => {
      const secret = randomBytes(32).toString("base64url");
      await client.send(
        new PutCommand({
          TableName,
          Item: {
            ...accountKeys.link(secret),
            user_id: userId,
            purpose,
            token_epoch: tokenEpoch,
            expires_at: nowInSeconds() + lifetimeSeconds[purpose],
          },
        }),
      );
      return secret;
    },

    /**
     * Whose link it is, and at which epoch of the account it was made, without using it; `undefined` when it is unknown,
     * expired, used or of another purpose.
     */
    find: async (secret: string, purpose: LinkPurpose): Promise<AccountAtEpoch | undefined> => {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: accountKeys.link(secret), ConsistentRead: true }),
      );
      const link = Item && linkItem.parse(Item);
      return link?.purpose === purpose && link.expires_at > nowInSeconds()
        ? { userId: link.user_id, tokenEpoch: link.token_epoch }
        : undefined;
    },

    /**
     * Notes that the address of its account is verified.
     *
     * @param userId whose link it is, as `find` says.
     * @returns `false`, and nothing is written, when the link has expired meanwhile or there is no such account.
     */
    verifyEmail: (secret: string, userId: number): Promise<boolean> =>
      use(secret, "verify-email", [emailVerification(TableName, userId)]),

    /**
     * Uses a link up, sets the password of its account and revokes every token and every other reset link of it.
     *
     * @param owner whose link it is, as `find` says.
     * @returns `false`, and nothing is written, when the link was used meanwhile, the password was changed since the link
     * was made, or there is no such account.
     */
    resetPassword: (secret: string, owner: AccountAtEpoch, passwordHash: string): Promise<boolean> =>
      use(secret, "reset-password", passwordChange(TableName, owner, passwordHash)),
  };
};
