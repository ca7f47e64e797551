import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { AppError } from "../errors/app-error.ts";
import type { Table } from "../storage/table.ts";
import {
  type Account,
  type AccountAtEpoch,
  type AccountType,
  type AccountWithPassword,
  accountWithPassword,
  passwordChange,
  type StoredAccount,
  storedAccount,
} from "./account.ts";
import { accountKeys } from "./keys.ts";

const claimItem = z.object({ user_id: z.int() });
/** No account has this id. To look for it anyway costs a name that nobody has as many reads as any other. */
const nobody = 0;

const counterItem = z.object({ value: z.int() });

/** What an account starts with; the rest follows from the rules of registration. */
export type NewAccount = Pick<
  AccountWithPassword,
  "username" | "email" | "password_hash" | "organization" | "full_name" | "organization_type" | "sector"
>;

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

/** Accounts in the table. */
export type AccountsRepository = ReturnType<typeof createAccountsRepository>;

/** The repository of accounts over the service's table; access patterns A1 to A4 of this folder's README. */
export const createAccountsRepository = ({ client, name: TableName }: Table) => {
  const read = async (Key: Record<string, string>) => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item;
  };

  const readAccount = async (reference: AccountReference) => {
    if ("id" in reference) return read(accountKeys.profile(reference.id));
    const claim = await read(
      "email" in reference
        ? accountKeys.emailClaim(reference.email)
        : accountKeys.usernameClaim(reference.username),
    );
    return read(accountKeys.profile(claim ? claimItem.parse(claim).user_id : nobody));
  };

  const find = async (reference: AccountReference): Promise<StoredAccount | undefined> => {
    const item = await readAccount(reference);
    return item && storedAccount.parse(item);
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

  /** Changes fields of an existing account. @returns the changed account, `undefined` when there is none. */
  const update = async (userId: number, changes: Record<string, unknown>) => {
    const fields = Object.entries(changes).filter(([, value]) => value !== undefined);
    if (fields.length === 0) return find({ id: userId });
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: accountKeys.profile(userId),
          UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :v${index}`).join(", ")}`,
          ConditionExpression: "attribute_exists(PK)",
          ExpressionAttributeNames: Object.fromEntries(fields.map(([field], index) => [`#f${index}`, field])),
          ExpressionAttributeValues: Object.fromEntries(
            fields.map(([, value], index) => [`:v${index}`, value]),
          ),
          ReturnValues: "ALL_NEW",
        }),
      );
      return storedAccount.parse(Attributes);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  };

  return {
    find,

    /** The account with the hash of its password, for as many reads as without it. */
    findWithPassword: async (reference: AccountReference): Promise<AccountWithPassword | undefined> => {
      const item = await readAccount(reference);
      return item && accountWithPassword.parse(item);
    },

    /**
     * Creates an account together with its claims on name and address: all of it or nothing.
     *
     * @throws AppError `username_taken` or `email_taken`.
     */
    create: async (fields: NewAccount): Promise<StoredAccount> => {
      const item: AccountWithPassword = {
        ...fields,
        id: await nextId(),
        account_type: "Free",
        oauth_type: "Credentials",
        email_verified: false,
        disabled: false,
        token_epoch: 0,
        created_at: new Date().toISOString(),
      };
      const put = (key: Record<string, string>, attributes: object) => ({
        Put: {
          TableName,
          Item: { ...key, ...attributes },
          ConditionExpression: "attribute_not_exists(PK)",
        },
      });
      try {
        await client.send(
          new TransactWriteCommand({
            TransactItems: [
              put(accountKeys.usernameClaim(item.username), { user_id: item.id }),
              put(accountKeys.emailClaim(item.email), { user_id: item.id }),
              put(accountKeys.profile(item.id), item),
            ],
          }),
        );
        return storedAccount.parse(item);
      } catch (error) {
        throw error instanceof TransactionCanceledException ? (takenIn(error) ?? error) : error;
      }
    },

    updateProfile: (userId: number, changes: ProfileChanges) => update(userId, changes),
    setAccountType: (userId: number, type: AccountType) => update(userId, { account_type: type }),
    setDisabled: (userId: number, disabled: boolean) => update(userId, { disabled }),

    /**
     * Sets a new password and revokes every token and reset link of the account.
     *
     * @param seen the account as it was when the right to do so was proved.
     * @returns `false`, and nothing is written, when the password was changed since, or the account is gone.
     */
    changePassword: async (seen: AccountAtEpoch, passwordHash: string): Promise<boolean> => {
      try {
        await client.send(new UpdateCommand(passwordChange(TableName, seen, passwordHash)));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
};
