import * as z from "zod";
import { scopes } from "../../shared/auth/api-keys.ts";
import { text } from "../../shared/http/fields.ts";
import { defineOperation } from "../../shared/http/operation.ts";

const tag = "Accounts and tokens";

const inTheFuture = z.iso
  .datetime({ offset: true, abort: true })
  .refine((value) => Date.parse(value) > Date.now(), {
    error: "Value error, the time must be in the future",
    params: { type: "value_error" },
  });

export const keyRequest = z
  .object({
    name: text().trim().min(1).max(64).meta({ example: "kiosk in Gulu" }),
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(50)
      .nullish()
      .meta({ description: "What the key may do; without any, all of it", example: ["speech"] }),
    expires_at: inTheFuture.nullish().meta({ description: "Without it, the key works until it is revoked" }),
    monthly_limit: z.int().min(1).max(1_000_000_000).nullish().meta({
      description: "Tasks in a month of UTC; the account's own quota counts as well",
      example: 1_000,
    }),
  })
  .meta({ id: "KeyRequest" });
export type KeyRequest = z.output<typeof keyRequest>;

const keyFields = {
  id: z.string().meta({ example: "k3f0a2c1e9b7d" }),
  name: keyRequest.shape.name,
  prefix: z.string().meta({ description: "How the key begins", example: "lai_8fQ2mZ0a" }),
  scopes: z.array(z.enum(scopes)),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  monthly_limit: z.int().nullable(),
};

export const createdKey = z
  .object({
    ...keyFields,
    key: z.string().meta({
      description:
        "The key itself. It is shown this once, and again to whoever repeats the request with its `Idempotency-Key`; only a digest is kept.",
      example: "lai_8fQ2mZ0aTgkW5xYbVnR7cLsD1hJpE3uKq71x0GfA",
    }),
  })
  .meta({ id: "CreatedKey" });
export type CreatedKey = z.input<typeof createdKey>;

export const listedKeys = z
  .object({
    keys: z.array(
      z
        .object({
          ...keyFields,
          last_used_at: z.iso.datetime().nullable(),
          used_this_month: z.int().meta({ description: "Tasks, as `monthly_limit` counts them" }),
        })
        .meta({ id: "Key" }),
    ),
  })
  .meta({ id: "Keys" });
export type ListedKeys = z.input<typeof listedKeys>;

export const createKeyOperation = defineOperation({
  id: "createKey",
  method: "POST",
  path: "/auth/keys",
  summary: "Make a key for a program",
  description:
    "A key is sent as a bearer token, like the account's own, and does tasks in the account's name; about the account itself " +
    "it may ask `GET /auth/me`, and nothing else. It outlives a change of the password. An account has at most 20 keys, and makes " +
    "at most 100 a day.",
  tag,
  auth: "user",
  limit: "account",
  idempotencyKey: "replay",
  body: { encoding: "json", schema: keyRequest },
  response: { status: 201, description: "The key, shown this once", schema: createdKey },
  errors: ["too_many_keys"],
  confidential: true,
});

export const listKeysOperation = defineOperation({
  id: "listKeys",
  method: "GET",
  path: "/auth/keys",
  summary: "The account's keys, and when they were used",
  description: "Oldest first. Keys that have expired are among them until they are revoked.",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 200, description: "The keys, without their secrets", schema: listedKeys },
  errors: [],
  confidential: true,
});

export const revokeKeyOperation = defineOperation({
  id: "revokeKey",
  method: "DELETE",
  path: "/auth/keys/{id}",
  summary: "Revoke a key",
  description: "The next request with it is refused.",
  tag,
  auth: "user",
  limit: "account",
  pathParameters: z.object({ id: z.string().min(1).max(64) }),
  response: { status: 204, description: "The key is revoked", schema: z.null() },
  errors: ["not_found"],
  confidential: true,
});

export const revokeKeysOperation = defineOperation({
  id: "revokeKeys",
  method: "DELETE",
  path: "/auth/keys",
  summary: "Revoke all keys of the account",
  description:
    "A new password ends the account's tokens and none of its keys; this ends the keys. The token that is sent still works.",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 204, description: "The keys are revoked", schema: z.null() },
  errors: [],
  confidential: true,
});
