import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import { text } from "../../platform/validation/fields.ts";
import { scopes } from "../access/api-keys.ts";
import type { TokenClaims } from "../access/tokens.ts";
import type { ApiKey, ApiKeysRepository } from "../repositories/api-keys-repository.ts";

const inTheFuture = z.iso
  .datetime({ offset: true, abort: true })
  .refine((value) => Date.parse(value) > Date.now(), {
    error: "Value error, the time must be in the future",
    params: { type: "value_error" },
  });

export const maxKeyNameLength = 64;

export const keyRequest = z
  .object({
    name: text()
      .trim()
      .min(1)
      .max(maxKeyNameLength)
      .meta({ example: "kiosk in Gulu", description: "What the key is for, to recognise it in the list" }),
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(50)
      .nullish()
      .meta({ description: "The scopes of the key; without any, it has all of them", example: ["speech"] }),
    expires_at: inTheFuture.nullish().meta({ description: "Without it, the key works until it is revoked" }),
    monthly_limit: z.int().min(1).max(1_000_000_000).nullish().meta({
      description: "Tasks in a month of UTC; the account's own quota applies too",
      example: 1_000,
    }),
    requests_per_minute: z.int().min(1).max(1_000_000).nullish().meta({
      description: "Requests in a minute of the clock; the account's own limit applies too",
      example: 20,
    }),
  })
  .meta({ id: "KeyRequest" });
export type KeyRequest = z.output<typeof keyRequest>;

/** The id of a key. */
export const keyId = z
  .string()
  .meta({ example: "k3f0a2c1e9b7d", description: "The id of the key, to revoke it; it is no secret" });

const keyFields = {
  id: keyId,
  name: keyRequest.shape.name,
  prefix: z.string().meta({ description: "The first characters of the key", example: "lai_8fQ2mZ0a" }),
  scopes: z.array(z.enum(scopes)).meta({ example: ["speech"], description: "What the key can do" }),
  created_at: z.iso.datetime().describe("When the key was created"),
  expires_at: z.iso.datetime().nullable().meta({
    example: "2027-11-22T00:00:00.000Z",
    description: "When the key stops working; null when it works until it is revoked",
  }),
  monthly_limit: z.int().nullable().meta({
    example: 1_000,
    description: "The maximum number of tasks in a month of UTC; null without one",
  }),
  requests_per_minute: z.int().nullable().meta({
    example: 20,
    description: "The maximum number of requests in a minute; null without one",
  }),
};

export const createdKey = z
  .object({
    ...keyFields,
    key: z.string().meta({
      description:
        "The key itself. It is returned only once, or again when the request is repeated with the same `Idempotency-Key`; only a digest is stored.",
      example: "lai_8fQ2mZ0aTgkW5xYbVnR7cLsD1hJpE3uKq71x0GfA",
    }),
  })
  .meta({ id: "CreatedKey" });
export type CreatedKey = z.input<typeof createdKey>;

export const listedKeys = z
  .object({
    keys: z
      .array(
        z
          .object({
            ...keyFields,
            last_used_at: z.iso
              .datetime()
              .nullable()
              .describe("When the key was last used; null when it never was"),
            used_this_month: z
              .int()
              .meta({ example: 12, description: "Tasks, as `monthly_limit` counts them" }),
          })
          .meta({ id: "Key" }),
      )
      .describe("The keys that were not revoked, oldest first"),
  })
  .meta({ id: "Keys" });
export type ListedKeys = z.input<typeof listedKeys>;

/** The account of a new key; `token` is `undefined` when the caller uses a key. */
interface KeyOwner {
  readonly userId: number;
  readonly token: Pick<TokenClaims, "tokenEpoch"> | undefined;
}

interface KeysDependencies {
  readonly apiKeys: ApiKeysRepository;
}

const timeOf = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(seconds * 1_000).toISOString();

const shown = ({ scopes: only, createdAt, expiresAt, monthlyLimit, minuteLimit, ...key }: ApiKey) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: [...(only ?? scopes)],
  created_at: createdAt,
  expires_at: timeOf(expiresAt),
  monthly_limit: monthlyLimit ?? null,
  requests_per_minute: minuteLimit ?? null,
});

/**
 * Creates a key.
 *
 * @throws AppError `insufficient_scope` for a caller with a key, which cannot create keys; what the repository throws.
 */
export const createKey = async (
  { userId, token }: KeyOwner,
  { name, scopes: only, ...limits }: KeyRequest,
  { apiKeys }: KeysDependencies,
): Promise<CreatedKey> => {
  if (!token) throw new AppError("insufficient_scope");
  const { key, ...created } = await apiKeys.create(
    { userId, tokenEpoch: token.tokenEpoch },
    {
      name,
      scopes: only ? scopes.filter((scope) => only.includes(scope)) : undefined,
      expiresAt: limits.expires_at ? Math.floor(Date.parse(limits.expires_at) / 1_000) : undefined,
      monthlyLimit: limits.monthly_limit ?? undefined,
      minuteLimit: limits.requests_per_minute ?? undefined,
    },
  );
  return { ...shown(created), key };
};

/** Returns the account's keys, oldest first. */
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
