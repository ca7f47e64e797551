import { createHash } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { hourSeconds } from "../../platform/durations.ts";
import { cancellationCodes, readPartition, type Table, writeTogether } from "../../platform/storage/table.ts";
import { accountKeys, identityKeyPrefix } from "../access/keys.ts";

/** Somebody at an identity provider: issuer and subject never change and are given to nobody else, unlike an address. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Their address there when the identity was joined, for its owner to tell it from another. */
  readonly email?: string | undefined;
}

const digestOf = ({ issuer, subject }: Identity): string =>
  // Neither holds a line break: an issuer is an address, and a subject is of visible characters.
  createHash("sha256").update(`${issuer}\n${subject}`).digest("base64url");

/** Longer than any log-in may take. */
const returnedSeconds = hourSeconds;

const identityItem = z.object({ user_id: z.int() });

const ownIdentityItem = z.object({
  SK: z.string().transform((name) => name.slice(identityKeyPrefix.length)),
  issuer: z.string(),
  email: z.string().optional(),
  joined_at: z.string(),
});

/** An identity of an account, as its owner sees it. */
export interface JoinedIdentity {
  /** What {@link IdentitiesRepository} parts with it by. */
  readonly id: string;
  readonly issuer: string;
  readonly email: string | undefined;
  readonly joinedAt: string;
}

/** Both items of an identity: A7 leads to the account, A8 is what its lists show. */
export const identityItems = (userId: number, identity: Identity) => {
  const digest = digestOf(identity);
  const { issuer, subject, email } = identity;
  return [
    { ...accountKeys.identity(digest), user_id: userId },
    {
      ...accountKeys.ownIdentity(userId, digest),
      issuer,
      subject,
      ...(email === undefined ? {} : { email }),
      joined_at: new Date().toISOString(),
    },
  ];
};

/** How an identity is joined. */
export interface Joining {
  /** Only while the address of the account is verified: nothing but the address has shown whose the account is. */
  readonly byAddress: boolean;
}

/** How a wish to part with an identity ends: `last` when there would be no other way in, `unknown` when there is none such. */
export type Parting = "parted" | "last" | "unknown";

/** Identities at identity providers in the table. */
export type IdentitiesRepository = ReturnType<typeof createIdentitiesRepository>;

/** The repository of identities over the service's table; access patterns A7 and A8 of this folder's README. */
export const createIdentitiesRepository = (table: Table) => {
  const { client, name: TableName } = table;

  const list = async (userId: number): Promise<JoinedIdentity[]> => {
    const { PK } = accountKeys.profile(userId);
    const items = await readPartition(table, PK, ["SK", "issuer", "email", "joined_at"]);
    return items
      .filter(({ SK }) => String(SK).startsWith(identityKeyPrefix))
      .map((item) => ownIdentityItem.parse(item))
      .map(({ SK: id, issuer, email, joined_at: joinedAt }) => ({ id, issuer, email, joinedAt }))
      .toSorted((one, other) => one.joinedAt.localeCompare(other.joinedAt));
  };

  return {
    /** The id of the account that an identity opens. */
    find: async (identity: Identity): Promise<number | undefined> => {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: accountKeys.identity(digestOf(identity)), ConsistentRead: true }),
      );
      return Item && identityItem.parse(Item).user_id;
    },

    /** The identities of an account, oldest first. */
    list,

    /**
     * Notes that a log-in through a provider is answered.
     *
     * @param state what only this log-in has.
     * @returns `false` when it was answered before: nobody's answer is taken twice, whatever the provider thinks of it.
     */
    noteReturned: async (state: string): Promise<boolean> => {
      try {
        await client.send(
          new PutCommand({
            TableName,
            Item: {
              ...accountKeys.returnedLogIn(state),
              expires_at: Math.ceil(Date.now() / 1_000) + returnedSeconds,
            },
            ConditionExpression: "attribute_not_exists(PK)",
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    /**
     * Joins an identity to an account that may be signed in to.
     *
     * @returns `false`, and nothing is written, when it is another account's, or the account is disabled, being deleted or
     * gone, or its address is not verified where that is asked for.
     */
    join: async (userId: number, identity: Identity, { byAddress }: Joining): Promise<boolean> => {
      const items = identityItems(userId, identity).map((Item) => ({
        Put: {
          TableName,
          Item,
          ConditionExpression: "attribute_not_exists(PK)",
        },
      }));
      const mayEnter = "disabled = :no AND attribute_not_exists(deletion_began)";
      try {
        await writeTogether(table, [
          {
            ConditionCheck: {
              TableName,
              Key: accountKeys.access(userId),
              ConditionExpression: byAddress ? `${mayEnter} AND email_verified = :yes` : mayEnter,
              ExpressionAttributeValues: { ":no": false, ...(byAddress ? { ":yes": true } : {}) },
            },
          },
          ...items,
        ]);
        return true;
      } catch (error) {
        if (cancellationCodes(error).includes("ConditionalCheckFailed")) return false;
        throw error;
      }
    },

    /**
     * Parts an account from one of its identities while another way in is left, a password or another identity. What is
     * left is checked in the same transaction: of two partings at the same moment only one can leave the other's way.
     */
    part: async (userId: number, id: string): Promise<Parting> => {
      const identities = await list(userId);
      if (!identities.some((identity) => identity.id === id)) return "unknown";
      const deletions = [accountKeys.identity(id), accountKeys.ownIdentity(userId, id)].map((Key) => ({
        Delete: { TableName, Key },
      }));
      const others = identities
        .filter((identity) => identity.id !== id)
        .map((identity) => ({
          Key: accountKeys.ownIdentity(userId, identity.id),
          ConditionExpression: "attribute_exists(PK)",
        }));
      const ways = [
        { Key: accountKeys.profile(userId), ConditionExpression: "attribute_exists(password_hash)" },
        ...others,
      ];
      for (const way of ways) {
        try {
          await writeTogether(table, [{ ConditionCheck: { TableName, ...way } }, ...deletions]);
          return "parted";
        } catch (error) {
          if (!cancellationCodes(error).includes("ConditionalCheckFailed")) throw error;
        }
      }
      return "last";
    },
  };
};
