import * as z from "zod";
import { account } from "../../shared/accounts/access/account.ts";
import { profileRequest, profileStatus } from "../../shared/accounts/profile/manage-profile.ts";
import { givenPassword } from "../../shared/accounts/sign-in/fields.ts";
import { registerRequest } from "../../shared/accounts/sign-in/registration.ts";
import { maxUsageDays, usage, usageQuery } from "../../shared/accounts/usage/usage.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { ofAccount, withCredentials } from "./operation-defaults.ts";

export const registerOperation = defineOperation({
  ...withCredentials,
  id: "register",
  method: "POST",
  path: "/auth/register",
  summary: "Create an account",
  description: "The account works at once. A mail with a verification link is sent to its address.",
  body: { encoding: "json", schema: registerRequest },
  response: { status: 201, description: "The new account", schema: account },
  errors: ["username_taken", "email_taken"],
});

export const meOperation = defineOperation({
  ...ofAccount,
  id: "getAccount",
  method: "GET",
  path: "/auth/me",
  summary: "Get the caller's account",
  scope: "any",
  response: { status: 200, description: "The account", schema: account },
});

export const deleteAccountOperation = defineOperation({
  ...withCredentials,
  id: "deleteAccount",
  method: "DELETE",
  path: "/auth/me",
  summary: "Delete the caller's account and all its data",
  description:
    "Requires the token and, as `password`, the password of the account, or a code where it has a second factor. Profile, tokens, uploads, stored speech, and saved transcriptions with " +
    "their audio are removed at once, and the username can be registered again. If the request fails midway, the account is " +
    "locked: send it again with the same token to remove the rest. Some data stays for a while, without giving access to " +
    "anything: mailed links for a day, with the account's number; a digest of the address for a day, with the count of mails " +
    "to it; files uploaded later through a link that was still valid, for at most two days; speech that was being " +
    "synthesised at that time; usage by day for 400 days, for bills, with the account's number and without names, texts or " +
    "audio; logs and backups, for as long as the operator keeps them.",
  // The function checks the token itself: a repeated request must continue although its tokens are already revoked.
  body: {
    encoding: "json",
    schema: z.object({ password: givenPassword }).meta({ id: "DeleteAccountRequest" }),
  },
  response: { status: 204, description: "The account is deleted", schema: z.null() },
  errors: [
    "unauthenticated",
    "forbidden",
    "insufficient_scope",
    "invalid_credentials",
    "bad_request",
    "storage_unavailable",
  ],
});

export const profileOperation = defineOperation({
  ...ofAccount,
  id: "updateProfile",
  method: "PUT",
  path: "/auth/profile",
  summary: "Change the caller's profile",
  description: "Absent and null members leave a field unchanged.",
  body: { encoding: "json", schema: profileRequest },
  response: { status: 200, description: "The changed account", schema: account },
  errors: ["bad_request"],
});

export const profileStatusOperation = defineOperation({
  ...ofAccount,
  id: "getProfileStatus",
  method: "GET",
  path: "/auth/profile/status",
  summary: "List the empty fields of the profile",
  response: { status: 200, description: "Whether the profile is complete", schema: profileStatus },
});

export const usageOperation = defineOperation({
  ...ofAccount,
  id: "getUsage",
  method: "GET",
  path: "/auth/usage",
  summary: "Get the caller's usage and quota",
  description:
    `Tasks and their usage by day, operation and key: at most ${maxUsageDays} days, of the last 400. Days and months are those of ` +
    "UTC. Refused requests are not counted, and requests that failed before a model started to work are refunded. Characters, " +
    "tokens, seconds and errors of the last seconds may be missing: they are counted when a request ends. The tokens of a chat " +
    "that the client breaks off are unknown. Until its email address is verified, an account has a share of its tier's quota; " +
    "`once_verified` is the full quota.",
  query: usageQuery,
  response: {
    status: 200,
    description: "Usage and limits",
    schema: usage,
    otherContentTypes: ["text/csv"],
    headers: ["Content-Disposition"],
  },
  example: {
    otherResponses: {
      "text/csv":
        "date,method,path,key,requests,errors,characters,prompt_tokens,completion_tokens,tokens,audio_seconds\r\n" +
        "2026-11-22,POST,/tasks/translate,,12,0,384,0,0,0,0\r\n",
    },
  },
});
