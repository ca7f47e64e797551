import * as z from "zod";
import { account } from "../../shared/accounts/access/account.ts";
import { profileRequest, profileStatus } from "../../shared/accounts/profile/manage-profile.ts";
import { givenPassword, registerRequest } from "../../shared/accounts/sign-in/fields.ts";
import { maxUsageDays, usage, usageQuery } from "../../shared/accounts/usage/usage.ts";
import { defineOperation } from "../../shared/http/operation.ts";

const tag = "Accounts and tokens";

export const registerOperation = defineOperation({
  id: "register",
  method: "POST",
  path: "/auth/register",
  summary: "Create an account",
  description: "The account works at once; a mail with a verification link is sent to its address.",
  tag,
  auth: "public",
  limit: "credentials",
  body: { encoding: "json", schema: registerRequest },
  response: { status: 201, description: "The new account", schema: account },
  errors: ["username_taken", "email_taken"],
  confidential: true,
});

export const meOperation = defineOperation({
  id: "getAccount",
  method: "GET",
  path: "/auth/me",
  summary: "The caller's account",
  tag,
  auth: "user",
  limit: "account",
  scope: "any",
  response: { status: 200, description: "The account", schema: account },
  errors: [],
  confidential: true,
});

export const deleteAccountOperation = defineOperation({
  id: "deleteAccount",
  method: "DELETE",
  path: "/auth/me",
  summary: "Delete the caller's account with everything of it",
  description:
    "Asks for the token and the password. Profile, tokens, uploads, stored speech and saved transcriptions with " +
    "their audio are removed at once, and the user name is free again. When the request fails midway the account is " +
    "closed: send it again with the same token, and the rest is removed. What stays for a while opens nothing: mailed " +
    "links for a day, with the account's number; a digest of the address for a day, with the count of mails to it; for at " +
    "most two days a file that is uploaded afterwards through a link which was still open; speech that was being made in " +
    "that very moment; for 400 days how much was used on which day, which bills are made of, with the account's number and " +
    "without any name, text or sound; logs and backups, for as long as those who run the service keep them.",
  tag,
  // The function checks the token itself: the same request must be able to go on when its tokens are revoked already.
  auth: "public",
  limit: "credentials",
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
  confidential: true,
});

export const profileOperation = defineOperation({
  id: "updateProfile",
  method: "PUT",
  path: "/auth/profile",
  summary: "Change the caller's profile",
  description: "Absent and null members leave a field as it is.",
  tag,
  auth: "user",
  limit: "account",
  body: { encoding: "json", schema: profileRequest },
  response: { status: 200, description: "The changed account", schema: account },
  errors: ["bad_request"],
  confidential: true,
});

export const profileStatusOperation = defineOperation({
  id: "getProfileStatus",
  method: "GET",
  path: "/auth/profile/status",
  summary: "Which fields of the profile are still empty",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 200, description: "Completeness of the profile", schema: profileStatus },
  errors: [],
  confidential: true,
});

export const usageOperation = defineOperation({
  id: "getUsage",
  method: "GET",
  path: "/auth/usage",
  summary: "What the caller has used, and what is left of its quota",
  description:
    `Counts tasks, and what they used, by day, operation and key; ${maxUsageDays} days at most, of the last 400. Days and months ` +
    "are those of UTC; requests that were refused are not counted, and those that failed before a model began to work are " +
    "given back. Characters, tokens, seconds and errors of the last seconds may still be missing: they are counted when a " +
    "request is over. Of a chat that is broken off no tokens are known. Until its e-mail address is verified, an account has a " +
    "share of its tier's quota; `once_verified` says what verifying it gives.",
  tag,
  auth: "user",
  limit: "account",
  query: usageQuery,
  response: { status: 200, description: "Use and limits", schema: usage, otherContentTypes: ["text/csv"] },
  example: {
    otherResponses: {
      "text/csv":
        "date,method,path,key,requests,errors,characters,prompt_tokens,completion_tokens,tokens,audio_seconds\r\n" +
        "2026-11-22,POST,/tasks/translate,,12,0,384,0,0,0,0\r\n",
    },
  },
  errors: [],
  confidential: true,
});
