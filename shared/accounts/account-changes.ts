import { accountKeys } from "./keys.ts";

/** A change of an account that must exist, to be written by itself or in a transaction. */
export interface AccountChange {
  readonly TableName: string;
  readonly Key: Record<string, string>;
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

const change = (
  TableName: string,
  userId: number,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, unknown>,
): AccountChange => ({
  TableName,
  Key: accountKeys.profile(userId),
  UpdateExpression,
  ConditionExpression: "attribute_exists(PK)",
  ExpressionAttributeValues,
});

/** Sets a new password and revokes every token of the account. */
export const passwordChange = (TableName: string, userId: number, passwordHash: string): AccountChange =>
  change(TableName, userId, "SET password_hash = :hash ADD token_epoch :one", {
    ":hash": passwordHash,
    ":one": 1,
  });

/** Notes that the address of the account is its owner's. */
export const emailVerification = (TableName: string, userId: number): AccountChange =>
  change(TableName, userId, "SET email_verified = :verified", { ":verified": true });
