import type { ApiKey, ApiKeysRepository } from "../../shared/accounts/api-keys-repository.ts";
import { scopes } from "../../shared/auth/api-keys.ts";
import type { Caller } from "../../shared/auth/caller.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { CreatedKey, KeyRequest, ListedKeys } from "./keys-contract.ts";

interface KeysDependencies {
  readonly apiKeys: ApiKeysRepository;
}

const timeOf = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(seconds * 1_000).toISOString();

const shown = ({ id, name, prefix, scopes: only, createdAt, expiresAt, monthlyLimit }: ApiKey) => ({
  id,
  name,
  prefix,
  scopes: [...(only ?? scopes)],
  created_at: createdAt,
  expires_at: timeOf(expiresAt),
  monthly_limit: monthlyLimit ?? null,
});

/**
 * Makes a key for a program.
 *
 * @throws AppError `insufficient_scope` for a key, which makes no others; what the repository throws.
 */
export const createKey = async (
  { userId, token }: Pick<Caller, "userId" | "token">,
  { name, scopes: only, expires_at: expiresAt, monthly_limit: monthlyLimit }: KeyRequest,
  { apiKeys }: KeysDependencies,
): Promise<CreatedKey> => {
  if (!token) throw new AppError("insufficient_scope");
  const { key, ...made } = await apiKeys.create(
    { userId, tokenEpoch: token.tokenEpoch },
    {
      name,
      scopes: only ? scopes.filter((scope) => only.includes(scope)) : undefined,
      expiresAt: expiresAt ? Math.floor(Date.parse(expiresAt) / 1_000) : undefined,
      monthlyLimit: monthlyLimit ?? undefined,
    },
  );
  return { ...shown(made), key };
};

/** The account's keys, oldest first. */
export const listKeys = async (userId: number, { apiKeys }: KeysDependencies): Promise<ListedKeys> => ({
  keys: (await apiKeys.list(userId)).map((key) => ({
    ...shown(key),
    last_used_at: timeOf(key.usedAt),
    used_this_month: key.usedThisMonth,
  })),
});

/** Revokes one of the account's keys. @throws AppError `not_found` when it has none with this id. */
export const revokeKey = async (
  userId: number,
  keyId: string,
  { apiKeys }: KeysDependencies,
): Promise<null> => {
  if (await apiKeys.revoke(userId, keyId)) return null;
  throw new AppError("not_found", { message: "The account has no key with this id." });
};

/** Revokes all keys of the account. */
export const revokeKeys = async (userId: number, { apiKeys }: KeysDependencies): Promise<null> => {
  await apiKeys.revokeAll(userId);
  return null;
};
