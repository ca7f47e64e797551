import { randomBytes } from "node:crypto";
import * as z from "zod";
import { daySeconds, minuteSeconds } from "../../platform/durations.ts";
import {
  exists,
  type ItemUpdate,
  type Table,
  type TableWrite,
  type WriteCondition,
} from "../../platform/storage/table.ts";
import type { AccountAtEpoch, StoredAccount } from "../access/account.ts";
import { accountKeys } from "../access/keys.ts";
import { identitySchema } from "./identities-repository.ts";

/** What a mailed link may be used for. */
export type LinkPurpose =
  | "verify-email"
  | "reset-password"
  | "revoke-keys"
  | "connect-identity"
  | "confirm-owner";

/** How long a link of each purpose works. */
const lifetimeSeconds: Readonly<Record<LinkPurpose, number>> = {
  "verify-email": daySeconds,
  "reset-password": 30 * minuteSeconds,
  "revoke-keys": daySeconds,
  "connect-identity": 30 * minuteSeconds,
  "confirm-owner": 30 * minuteSeconds,
};

/** An identity that the owner of an account may add to it, and the name of its provider. */
export const connection = z.object({ provider: z.string(), identity: identitySchema });
export type Connection = z.infer<typeof connection>;

const linkItem = z.object({
  user_id: z.int(),
  purpose: z.string(),
  expires_at: z.int(),
  /** The account's epoch when the link was created. Links of older versions have none, and set no password. */
  token_epoch: z.int().default(-1),
  /** What a link for `connect-identity` adds to the account. */
  connects: connection.optional(),
});

type Link = AccountAtEpoch & { readonly connects?: Connection | undefined };

/** Mailed one-time links in the table. */
export type LinksRepository = ReturnType<typeof createLinksRepository>;

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/** The condition that a link can be used. */
const worksFor = (purpose: LinkPurpose): WriteCondition => ({
  ConditionExpression: "purpose = :purpose AND expires_at > :now",
  ExpressionAttributeValues: { ":purpose": purpose, ":now": nowInSeconds() },
});

/**
 * Makes the changes that a link permits, while it works. A link that resets a password is deleted with them. One that
 * verifies an address stays: using it again does no harm, and differs from an unknown link.
 *
 * A transaction whose response is lost is sent again with the same token, so it does not find its link used.
 */
const useLink = async (
  table: Table,
  secret: string,
  purpose: LinkPurpose,
  updates: readonly ItemUpdate[],
): Promise<boolean> => {
  const key = accountKeys.link(secret);
  const condition = worksFor(purpose);
  const { applied } = await table.transact([
    purpose === "verify-email" ? { check: key, condition } : { delete: key, condition },
    ...updates.map((update) => ({ update })),
  ]);
  return applied;
};

/** What an account's profile has in place of an address that was freed. No one can register it. */
const freedAddress = (): string => `${randomBytes(16).toString("hex")}@freed.invalid`;

const disowning = (secret: string, userId: number, email: string, eraseAt: string): TableWrite[] => [
  { delete: accountKeys.link(secret), condition: worksFor("verify-email") },
  {
    delete: accountKeys.emailClaim(email),
    condition: {
      ConditionExpression: "user_id = :id",
      ExpressionAttributeValues: { ":id": userId },
    },
  },
  {
    update: {
      Key: accountKeys.profile(userId),
      UpdateExpression: "SET email = :freed",
      ...exists,
      ExpressionAttributeValues: { ":freed": freedAddress() },
    },
  },
  {
    update: {
      Key: accountKeys.access(userId),
      UpdateExpression: "SET disabled = :yes, revoked = :none ADD token_epoch :one REMOVE api_keys",
      ConditionExpression: "email_verified = :no AND attribute_not_exists(deletion_began)",
      ExpressionAttributeValues: { ":yes": true, ":no": false, ":none": {}, ":one": 1 },
    },
  },
  { put: { ...accountKeys.erasure(eraseAt, userId), user_id: userId } },
  { delete: accountKeys.listedEmail(email) },
];

/** The mailed links in the service's table; access pattern L1 of the README in `shared/accounts`. */
export const createLinksRepository = (table: Table) => ({
  /** Creates a link. Returns its secret (256 random bits), which is not stored. */
  create: async (
    { userId, tokenEpoch }: AccountAtEpoch,
    purpose: LinkPurpose,
    connects?: Connection,
  ): Promise<string> => {
    const secret = randomBytes(32).toString("base64url");
    await table.put({
      ...accountKeys.link(secret),
      user_id: userId,
      purpose,
      token_epoch: tokenEpoch,
      ...(connects === undefined ? {} : { connects }),
      expires_at: nowInSeconds() + lifetimeSeconds[purpose],
    });
    return secret;
  },

  /**
   * Returns the account of a link, and its epoch when the link was created; `undefined` when the link is unknown, expired,
   * used or for another purpose. Does not use the link.
   */
  find: async (secret: string, purpose: LinkPurpose): Promise<Link | undefined> => {
    const item = await table.read({ Key: accountKeys.link(secret) });
    const link = item && linkItem.parse(item);
    return link?.purpose === purpose && link.expires_at > nowInSeconds()
      ? { userId: link.user_id, tokenEpoch: link.token_epoch, connects: link.connects }
      : undefined;
  },

  /**
   * Marks the address of the account as verified.
   *
   * @param userId the account that `find` returned.
   * @returns `false`, and writes nothing, when the link has expired meanwhile or the account is gone.
   */
  verifyEmail: (secret: string, userId: number): Promise<boolean> =>
    useLink(table, secret, "verify-email", [
      {
        Key: accountKeys.access(userId),
        UpdateExpression: "SET email_verified = :verified",
        ...exists,
        ExpressionAttributeValues: { ":verified": true },
      },
    ]),

  /**
   * Uses a link: makes the changes that set the password of its account.
   *
   * @param changes of the account that `find` returned.
   * @returns `false`, and writes nothing, when the link was used meanwhile, or one of the changes fails.
   */
  resetPassword: (secret: string, changes: readonly ItemUpdate[]): Promise<boolean> =>
    useLink(table, secret, "reset-password", changes),

  /**
   * Uses a link that verifies an address: disables the account instead, frees the address, and notes when to erase the rest.
   *
   * @param eraseAt an ISO time.
   * @returns `false`, and writes nothing, when the link has expired meanwhile, or the address was verified.
   */
  disown: async (
    secret: string,
    { id, email }: Pick<StoredAccount, "id" | "email">,
    eraseAt: string,
  ): Promise<boolean> => (await table.transact(disowning(secret, id, email, eraseAt))).applied,

  /** Ends a link. */
  remove: (secret: string): Promise<void> => table.delete(accountKeys.link(secret)),
});
