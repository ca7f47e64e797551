import * as z from "zod";
import { createdKey, keyId, keyRequest, listedKeys } from "../../shared/accounts/profile/manage-keys.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { ofAccount } from "./operation-defaults.ts";

export const createKeyOperation = defineOperation({
  ...ofAccount,
  id: "createKey",
  method: "POST",
  path: "/auth/keys",
  summary: "Create an API key",
  description:
    "A key is sent as a bearer token, like the account's own token, and does tasks for the account. Of the account itself it can " +
    "only read `GET /auth/me`. A new password does not revoke it. An account has at most 20 keys, and creates at most 100 a day.",
  idempotencyKey: "replay",
  body: { encoding: "json", schema: keyRequest },
  response: { status: 201, description: "The key; it is not shown again", schema: createdKey },
  errors: ["too_many_keys"],
});

export const listKeysOperation = defineOperation({
  ...ofAccount,
  id: "listKeys",
  method: "GET",
  path: "/auth/keys",
  summary: "List the account's keys and their last use",
  description: "Oldest first, including expired keys until they are revoked.",
  response: { status: 200, description: "The keys, without their secrets", schema: listedKeys },
});

export const revokeKeyOperation = defineOperation({
  ...ofAccount,
  id: "revokeKey",
  method: "DELETE",
  path: "/auth/keys/{id}",
  summary: "Revoke a key",
  description: "The next request with it is refused.",
  pathParameters: z.object({ id: keyId.min(1).max(64) }),
  response: { status: 204, description: "The key is revoked", schema: z.null() },
  errors: ["not_found"],
});

export const revokeKeysOperation = defineOperation({
  ...ofAccount,
  id: "revokeKeys",
  method: "DELETE",
  path: "/auth/keys",
  summary: "Revoke all keys of the account",
  description:
    "A new password revokes the account's tokens but not its keys; this revokes the keys. The token that is sent still works.",
  response: { status: 204, description: "The keys are revoked", schema: z.null() },
});
