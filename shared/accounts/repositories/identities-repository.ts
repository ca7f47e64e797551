import { createHash } from "node:crypto";
import * as z from "zod";
import { compareText } from "../../platform/compare-text.ts";
import { hourSeconds } from "../../platform/durations.ts";
import { exists, type Item, type ItemUpdate, isNew, type Table } from "../../platform/storage/table.ts";
import type { AccountAtEpoch } from "../access/account.ts";
import { accountKeys, identityKeyPrefix } from "../access/keys.ts";

/** A person at an identity provider. Unlike an address, issuer and subject never change and are never reused. */
export const identitySchema = z.object({
  issuer: z.string(),
  subject: z.string(),
  /** The person's address there when the identity was joined, so its owner recognises it. */
  email: z.string().optional(),
});
export type Identity = z.infer<typeof identitySchema>;

const digestOf = ({ issuer, subject }: Identity): string =>
  // Neither has line breaks: an issuer is an address, and a subject has visible characters only.
  createHash("sha256").update(`${issuer}\n${subject}`).digest("base64url");

/** Longer than any login may take. */
const returnedSeconds = hourSeconds;

/** The account's epoch when the identity was joined. Identities of older versions have none. */
const joinedEpoch = z.int().default(-1);

const identityItem = z.object({ user_id: z.int(), token_epoch: joinedEpoch });

const ownIdentityItem = z.object({
  SK: z.string().transform((name) => name.slice(identityKeyPrefix.length)),
  issuer: z.string(),
  email: z.string().optional(),
  joined_at: z.string(),
  token_epoch: joinedEpoch,
});

/** An identity of an account. */
export interface JoinedIdentity {
  /** The id to pass to {@link IdentitiesRepository} `part`. */
  readonly id: string;
  readonly issuer: string;
  readonly email: string | undefined;
  readonly joinedAt: string;
}

/** Both items of an identity: A7 leads to the account, A8 is shown in lists. */
export const identityItems = ({ userId, tokenEpoch }: AccountAtEpoch, identity: Identity): [Item, Item] => {
  const digest = digestOf(identity);
  const { issuer, subject, email } = identity;
  return [
    { ...accountKeys.identity(digest), user_id: userId, token_epoch: tokenEpoch },
    {
      ...accountKeys.ownIdentity(userId, digest),
      issuer,
      subject,
      ...(email === undefined ? {} : { email }),
      joined_at: new Date().toISOString(),
      token_epoch: tokenEpoch,
    },
  ];
};

/** The result of removing an identity: `last` when the account has no other way to sign in, `unknown` when it has no such identity. */
export type Parting = "parted" | "last" | "unknown";

/** Identities in the table. */
export type IdentitiesRepository = ReturnType<typeof createIdentitiesRepository>;

const readOwnIdentities = async (table: Table, userId: number) => {
  const items = await table.query({
    partition: accountKeys.profile(userId).PK,
    beginsWith: identityKeyPrefix,
    attributes: ["SK", "issuer", "email", "joined_at", "token_epoch"],
  });
  return items.map((item) => ownIdentityItem.parse(item));
};

const listIdentities = async (table: Table, userId: number): Promise<JoinedIdentity[]> =>
  (await readOwnIdentities(table, userId))
    .map(({ SK: id, issuer, email, joined_at: joinedAt }) => ({ id, issuer, email, joinedAt }))
    .toSorted((one, other) => compareText(one.joinedAt, other.joinedAt));

const removal = (userId: number, id: string) => [
  { delete: accountKeys.identity(id) },
  { delete: accountKeys.ownIdentity(userId, id) },
];

/** Removes what was joined before an epoch, and opens nothing any longer. */
const removeEnded = async (table: Table, userId: number, provedEpoch: number): Promise<void> => {
  for (const { SK: id, token_epoch: epoch } of await readOwnIdentities(table, userId)) {
    if (epoch < provedEpoch) await table.transact(removal(userId, id));
  }
};

const provedItem = z.object({ proved_epoch: z.int().default(-1) });

const findOwner = async (table: Table, identity: Identity): Promise<number | undefined> => {
  const item = await table.read({ Key: accountKeys.identity(digestOf(identity)) });
  if (!item) return undefined;
  const { user_id: userId, token_epoch: epoch } = identityItem.parse(item);
  const access = await table.read({ Key: accountKeys.access(userId), ProjectionExpression: "proved_epoch" });
  const { proved_epoch: provedEpoch } = provedItem.parse(access ?? {});
  if (epoch >= provedEpoch) return userId;
  // The request that ended it was cut short.
  await removeEnded(table, userId, provedEpoch);
  return undefined;
};

/** Removes an identity from its account, on the condition that one of the other ways to sign in still exists. */
const partIdentity = async (table: Table, userId: number, id: string): Promise<Parting> => {
  const identities = await listIdentities(table, userId);
  if (!identities.some((identity) => identity.id === id)) return "unknown";
  const others = identities.filter((identity) => identity.id !== id);
  const ways = [
    {
      check: accountKeys.profile(userId),
      condition: { ConditionExpression: "attribute_exists(password_hash)" },
    },
    ...others.map((other) => ({ check: accountKeys.ownIdentity(userId, other.id), condition: exists })),
  ];
  for (const way of ways) {
    const { applied } = await table.transact([way, ...removal(userId, id)]);
    if (applied) return "parted";
  }
  return "last";
};

/** The identities in the service's table; access patterns A7 and A8 of the README in `shared/accounts`. */
export const createIdentitiesRepository = (table: Table) => ({
  /** Returns the id of the account that an identity signs in to. */
  find: (identity: Identity) => findOwner(table, identity),

  /** Returns the identities of an account, oldest first. */
  list: (userId: number) => listIdentities(table, userId),

  /**
   * Records that a login through a provider is complete.
   *
   * @param state identifies the login.
   * @returns `false` when it was recorded before: each login completes once, even if the provider allows more.
   */
  noteReturned: async (state: string): Promise<boolean> => {
    const item = {
      ...accountKeys.returnedLogIn(state),
      expires_at: Math.ceil(Date.now() / 1_000) + returnedSeconds,
    };
    return (await table.putIf(item, isNew)).applied;
  },

  /**
   * Joins an identity to an account.
   *
   * @param owner the account as it was when the right to do so was proved.
   * @returns `false`, and writes nothing, when the identity belongs to another account; when the password was changed since;
   * or when the account is disabled, being deleted or gone.
   */
  join: async (owner: AccountAtEpoch, identity: Identity): Promise<boolean> => {
    const { applied } = await table.transact([
      {
        check: accountKeys.access(owner.userId),
        condition: {
          ConditionExpression:
            "token_epoch = :epoch AND disabled = :no AND attribute_not_exists(deletion_began)",
          ExpressionAttributeValues: { ":epoch": owner.tokenEpoch, ":no": false },
        },
      },
      ...identityItems(owner, identity).map((item) => ({ put: item, condition: isNew })),
    ]);
    return applied;
  },

  /**
   * Makes the changes of a first proof, and joins the identity that proved the address.
   *
   * @returns `false`, and writes nothing, when a change fails, or the identity belongs to another account.
   */
  joinWithProof: async (
    { userId, tokenEpoch }: AccountAtEpoch,
    identity: Identity,
    changes: readonly ItemUpdate[],
  ): Promise<boolean> => {
    const condition = {
      ConditionExpression: "attribute_not_exists(PK) OR user_id = :id",
      ExpressionAttributeValues: { ":id": userId },
    };
    const [claim, own] = identityItems({ userId, tokenEpoch: tokenEpoch + 1 }, identity);
    const puts = [{ put: claim, condition }, { put: own }];
    return (await table.transact([...changes.map((update) => ({ update })), ...puts])).applied;
  },

  /** Removes the identities that were joined before an epoch. */
  removeEnded: (userId: number, provedEpoch: number) => removeEnded(table, userId, provedEpoch),

  /**
   * Removes an identity from an account that has another way to sign in, a password or another identity. The same
   * transaction checks the other way, so two removals at once cannot remove both.
   */
  part: (userId: number, id: string) => partIdentity(table, userId, id),
});
