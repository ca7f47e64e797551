import * as z from "zod";
import { account, accountType } from "../../shared/accounts/account.ts";
import { languageField, languageForms, transcriptionLanguages } from "../../shared/catalogue/languages.ts";
import { text } from "../../shared/http/fields.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { givenPassword, registerRequest, shortText } from "../../shared/sign-in/fields.ts";

const tag = "Accounts and tokens";

/** The values an organisation type can take when a profile is changed. */
export const organizationTypes = [
  "NGO",
  "Government",
  "Private Sector",
  "Research",
  "Individual",
  "Other",
] as const;

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

export const profileRequest = z
  .object({
    full_name: shortText.nullish(),
    organization: shortText.nullish(),
    organization_type: text()
      .max(200)
      .nullish()
      .meta({ description: `One of ${organizationTypes.join(", ")}` }),
    sector: z.array(text().max(200)).max(50).nullish(),
    default_language: languageField(transcriptionLanguages.map(({ code }) => code))
      .nullish()
      .meta({
        override: { type: ["string", "null"] },
        example: "lug",
        description: `Of recordings, for clients that cannot name a language: ${languageForms}`,
      }),
  })
  .meta({ id: "ProfileRequest" });
export type ProfileRequest = z.infer<typeof profileRequest>;

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

export const profileStatus = z
  .object({
    is_complete: z.boolean(),
    missing_fields: z.array(z.enum(["full_name", "organization", "organization_type", "sector"])),
  })
  .meta({ id: "ProfileStatus" });
export type ProfileStatus = z.infer<typeof profileStatus>;

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

/** How many days `GET /auth/usage` shows unless it is asked for others, today included. */
export const shownUsageDays = 30;

/** How many days it shows at most. */
export const mostUsageDays = 92;

const quota = {
  used: z.int(),
  limit: z.int().nullable().meta({ description: "null for accounts without a quota" }),
  remaining: z.int().nullable(),
  resets_at: z.iso.datetime(),
};

/** What was used of one operation on one day with one key. */
const usedOperation = z
  .object({
    method: z.string().nullable().meta({ example: "POST" }),
    path: z.string().meta({ example: "/tasks/translate" }),
    key: z
      .string()
      .nullable()
      .meta({ description: "The id of the key that the requests came with; null for tokens" }),
    requests: z.int().meta({ description: "Tasks on the quota, without those that were given back" }),
    errors: z.int().meta({
      description:
        "Requests that failed, whether they were given back or not, and items of batches that failed",
    }),
    characters: z.int().meta({ description: "Of texts that were translated, identified or spoken" }),
    prompt_tokens: z.int().meta({ description: "Of chats, as the model's server reports them" }),
    completion_tokens: z.int(),
    tokens: z.int().meta({ description: "Both together" }),
    audio_seconds: z
      .number()
      .meta({ description: "Of recordings that were transcribed and speech that was made" }),
  })
  .meta({ id: "UsedOperation" });
export type UsedOperation = z.infer<typeof usedOperation>;

export const usage = z
  .object({
    account_type: accountType,
    per_minute_limit: z.int().meta({ description: "Requests of all kinds in a minute" }),
    today: z.object({ date: z.iso.date(), ...quota }),
    this_month: z.object({ month: z.string().meta({ example: "2026-11" }), ...quota }),
    once_verified: z.object({ per_day: z.int(), per_month: z.int() }).nullable().meta({
      description:
        "The quota that the account gets once its e-mail address is verified; null when it has that already",
    }),
    from: z.iso.date().meta({ description: "The first of the days" }),
    to: z.iso.date().meta({ description: "The last of the days" }),
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          total: z.int(),
          by_operation: z.record(z.string(), z.int()).meta({ example: { translate: 12 } }),
          operations: z.array(usedOperation),
        }),
      )
      .min(1)
      .max(mostUsageDays)
      .meta({
        description:
          "Every day of the range, oldest first, also without use. `by_operation` counts the requests of each operation as " +
          "this document names them, `operations` tells all that was used of each path with each key",
      }),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usage>;

export const usageQuery = z.object({
  from: z.iso.date().optional().meta({
    description: "The first day, in UTC; by default 29 days before the last",
    example: "2026-11-01",
  }),
  to: z.iso
    .date()
    .optional()
    .meta({ description: "The last day, in UTC; by default today", example: "2026-11-30" }),
  format: z
    .enum(["json", "csv"])
    .default("json")
    .meta({ description: "`csv`: a table with a row for each day, operation and key, for a spreadsheet" }),
});
export type UsageQuery = z.infer<typeof usageQuery>;

export const usageOperation = defineOperation({
  id: "getUsage",
  method: "GET",
  path: "/auth/usage",
  summary: "What the caller has used, and what is left of its quota",
  description:
    `Counts tasks, and what they used, by day, operation and key; ${mostUsageDays} days at most, of the last 400. Days and months ` +
    "are those of UTC; requests that were refused are not counted, and those that failed before a model began to work are " +
    "given back. Characters, tokens, seconds and errors of the last seconds may still be missing: they are counted when a " +
    "request is over. Of a chat that is broken off no tokens are known. Until its e-mail address is verified, an account has a " +
    "share of its tier's quota; `once_verified` says what verifying it gives.",
  tag,
  auth: "user",
  limit: "account",
  query: usageQuery,
  response: { status: 200, description: "Use and limits", schema: usage, otherContentTypes: ["text/csv"] },
  errors: [],
  confidential: true,
});
