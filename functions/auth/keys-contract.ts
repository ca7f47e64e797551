import * as z from "zod";
import { createdKey, keyRequest, listedKeys } from "../../shared/accounts/profile/manage-keys.ts";
import { defineOperation } from "../../shared/http/operation.ts";

const tag = "Accounts and tokens";

export const createKeyOperation = defineOperation({
  id: "createKey",
  method: "POST",
  path: "/auth/keys",
  summary: "Create an API key",
  description:
    "A key is sent as a bearer token, like the account's own token, and does tasks for the account. Of the account itself it can " +
    "only read `GET /auth/me`. A new password does not revoke it. An account has at most 20 keys, and creates at most 100 a day.",
  tag,
  auth: "user",
  limit: "account",
  idempotencyKey: "replay",
  body: { encoding: "json", schema: keyRequest },
  response: { status: 201, description: "The key; it is not shown again", schema: createdKey },
  errors: ["too_many_keys"],
  confidential: true,
});

export const listKeysOperation = defineOperation({
  id: "listKeys",
  method: "GET",
  path: "/auth/keys",
  summary: "List the account's keys and their last use",
  description: "Oldest first, including expired keys until they are revoked.",
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
  pathParameters: z.object({ id: z.string().min(1).max(64).meta({ example: "k3f0a2c1e9b7d" }) }),
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
    "A new password revokes the account's tokens but not its keys; this revokes the keys. The token that is sent still works.",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 204, description: "The keys are revoked", schema: z.null() },
  errors: [],
  confidential: true,
});
