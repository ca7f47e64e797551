import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import { cancellationCodes, type Table, writeTogether } from "../../platform/storage/table.ts";
import {
  type Account,
  type AccountAccess,
  type AccountAtEpoch,
  type AccountType,
  type AccountWithPassword,
  accountAccess,
  passwordChange,
  profileWithPassword,
  type StoredAccount,
  toStoredAccount,
} from "../access/account.ts";
import { accountKeys } from "../access/keys.ts";
import { type Identity, identityItems } from "./identities-repository.ts";

const claimItem = z.object({ user_id: z.int() });
/** No account has this id. To look for it anyway costs a name that nobody has as many reads as any other. */
const noAccount = 0;

const counterItem = z.object({ value: z.int() });

/** What an account starts with; the rest follows from the rules of registration. */
export type NewAccount = Pick<
  AccountWithPassword,
  "username" | "email" | "password_hash" | "organization" | "full_name" | "organization_type" | "sector"
>;

/** What an account starts with whose owner signs in through an identity provider. */
export interface FirstIdentity {
  readonly identity: Identity;
  readonly oauthType: Exclude<Account["oauth_type"], "Credentials">;
  /** The provider says that the address is its owner's. */
  readonly emailVerified: boolean;
}

/** Fields an owner may change. */
export type ProfileChanges = Partial<
  Pick<Account, "full_name" | "organization" | "organization_type" | "sector">
>;

/** One of the ways in which an account can be named; user names and addresses are matched without case. */
export type AccountReference =
  | { readonly id: number }
  | { readonly username: string }
  | { readonly email: string };

/** What a cancelled registration collided with; `undefined` when the claims were not what cancelled it. */
const takenIn = (cause: TransactionCanceledException): AppError | undefined => {
  const [username, email] = cause.CancellationReasons ?? [];
  // The second: two registrations of one name that collide inside DynamoDB. The other one is being written.
  for (const code of ["ConditionalCheckFailed", "TransactionConflict"]) {
    if (username?.Code === code) return new AppError("username_taken", { param: "username", cause });
    if (email?.Code === code) return new AppError("email_taken", { param: "email", cause });
  }
  return undefined;
};

/** An access item as it begins: the map is there, so that a token's id can be added to it. */
const newAccess = (access: AccountAccess) => ({ ...access, revoked: {} });

/** Accounts in the table. */
export type AccountsRepository = ReturnType<typeof createAccountsRepository>;

/** The repository of accounts over the service's table; access patterns A1 to A5 of this folder's README. */
export const createAccountsRepository = (table: Table) => {
  const { client, name: TableName } = table;

  const put = (key: Record<string, string>, attributes: object) => ({
    Put: { TableName, Item: { ...key, ...attributes }, ConditionExpression: "attribute_not_exists(PK)" },
  });

  const read = async (Key: Record<string, string>) => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item;
  };

  const idOf = async (reference: AccountReference): Promise<number> => {
    if ("id" in reference) return reference.id;
    const claim = await read(
      "email" in reference
        ? accountKeys.emailClaim(reference.email)
        : accountKeys.usernameClaim(reference.username),
    );
    return claim ? claimItem.parse(claim).user_id : noAccount;
  };

  /**
   * Moves what decides about requests into an item of its own, for accounts of a version that kept it in their profile.
   *
   * Should it change meanwhile, or be moved by somebody else, nothing is written, and the next look finds it.
   */
  const moveAccess = async (userId: number, access: AccountAccess): Promise<void> => {
    const names = Object.keys(access);
    const change = {
      TableName,
      Key: accountKeys.profile(userId),
      UpdateExpression: `REMOVE ${names.join(", ")}`,
      ConditionExpression: names.map((name) => `${name} = :${name}`).join(" AND "),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(access).map(([name, value]) => [`:${name}`, value]),
      ),
    };
    try {
      await writeTogether(table, [{ Update: change }, put(accountKeys.access(userId), newAccess(access))]);
    } catch (error) {
      if (!cancellationCodes(error).includes("ConditionalCheckFailed")) throw error;
    }
  };

  /** Both items of an account; `undefined` unless both are there. */
  const readItems = async (userId: number) => {
    // In this order: a password that is read after its epoch opens nothing more than that epoch, should it change between.
    const access = await read(accountKeys.access(userId));
    const profile = await read(accountKeys.profile(userId));
    if (!profile) return undefined;
    if (access) return { access: accountAccess.parse(access), profile };
    const older = accountAccess.safeParse(profile);
    if (older.success) await moveAccess(userId, older.data);
    // Also when it was not here to be moved: somebody else may just have done it.
    const moved = await read(accountKeys.access(userId));
    const left = await read(accountKeys.profile(userId));
    return moved && left ? { access: accountAccess.parse(moved), profile: left } : undefined;
  };

  const find = async (reference: AccountReference): Promise<StoredAccount | undefined> => {
    const items = await readItems(await idOf(reference));
    return items && toStoredAccount(items.profile, items.access);
  };

  const nextId = async (): Promise<number> => {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName,
        Key: accountKeys.idCounter(),
        UpdateExpression: "ADD #value :one",
        ExpressionAttributeNames: { "#value": "value" },
        ExpressionAttributeValues: { ":one": 1 },
        ReturnValues: "UPDATED_NEW",
      }),
    );
    return counterItem.parse(Attributes).value;
  };

  /** Changes fields of one of an account's items. @returns the changed account, `undefined` when there is none. */
  const update = async (userId: number, Key: Record<string, string>, changes: Record<string, unknown>) => {
    const fields = Object.entries(changes).filter(([, value]) => value !== undefined);
    try {
      if (fields.length > 0) {
        await client.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :v${index}`).join(", ")}`,
            ConditionExpression: "attribute_exists(PK)",
            ExpressionAttributeNames: Object.fromEntries(
              fields.map(([field], index) => [`#f${index}`, field]),
            ),
            ExpressionAttributeValues: Object.fromEntries(
              fields.map(([, value], index) => [`:v${index}`, value]),
            ),
          }),
        );
      }
      return await find({ id: userId });
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  };

  return {
    find,

    /** The account with the hash of its password, for as many reads as without it. */
    findWithPassword: async (reference: AccountReference): Promise<AccountWithPassword | undefined> => {
      const items = await readItems(await idOf(reference));
      if (!items) return undefined;
      const { password_hash } = profileWithPassword.parse(items.profile);
      const account = toStoredAccount(items.profile, items.access);
      return password_hash === undefined ? account : { ...account, password_hash };
    },

    /**
     * Creates an account's two items together with its claims on name and address, and the identity that it is made for:
     * all of it or nothing.
     *
     * @param first the identity, of an account whose owner signs in through an identity provider.
     * @throws AppError `username_taken` or `email_taken`.
     */
    create: async (fields: NewAccount, first?: FirstIdentity): Promise<StoredAccount> => {
      const profile = {
        ...fields,
        id: await nextId(),
        oauth_type: first?.oauthType ?? "Credentials",
        created_at: new Date().toISOString(),
      };
      const access: AccountAccess = {
        account_type: "Free",
        disabled: false,
        token_epoch: 0,
        email_verified: first?.emailVerified ?? false,
      };
      try {
        await client.send(
          new TransactWriteCommand({
            TransactItems: [
              put(accountKeys.usernameClaim(profile.username), { user_id: profile.id }),
              put(accountKeys.emailClaim(profile.email), { user_id: profile.id }),
              put(accountKeys.profile(profile.id), profile),
              put(accountKeys.access(profile.id), newAccess(access)),
              ...(first ? identityItems(profile.id, first.identity).map((Item) => put({}, Item)) : []),
            ],
          }),
        );
        return toStoredAccount(profile, access);
      } catch (error) {
        throw error instanceof TransactionCanceledException ? (takenIn(error) ?? error) : error;
      }
    },

    updateProfile: (userId: number, changes: ProfileChanges) =>
      update(userId, accountKeys.profile(userId), changes),
    setDefaultLanguage: (userId: number, language: string) =>
      update(userId, accountKeys.access(userId), { default_language: language }),
    setAccountType: (userId: number, type: AccountType) =>
      update(userId, accountKeys.access(userId), { account_type: type }),
    setDisabled: (userId: number, disabled: boolean) =>
      update(userId, accountKeys.access(userId), { disabled }),

    /**
     * Sets a new password and revokes every token and reset link of the account.
     *
     * @param seen the account as it was when the right to do so was proved.
     * @returns `false`, and nothing is written, when the password was changed since, or the account is gone.
     */
    changePassword: async (seen: AccountAtEpoch, passwordHash: string): Promise<boolean> => {
      try {
        const changes = passwordChange(TableName, seen, passwordHash);
        await writeTogether(
          table,
          changes.map((change) => ({ Update: change })),
        );
        return true;
      } catch (error) {
        if (cancellationCodes(error).includes("ConditionalCheckFailed")) return false;
        throw error;
      }
    },
  };
};
