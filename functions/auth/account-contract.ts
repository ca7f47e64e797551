import * as z from "zod";
import { account, accountType } from "../../shared/accounts/account.ts";
import { languageField, languageForms, transcriptionLanguages } from "../../shared/catalogue/languages.ts";
import { text } from "../../shared/http/fields.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { email, givenPassword, newPassword, shortText, username } from "./fields.ts";

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

export const registerRequest = z
  .object({
    username,
    email,
    password: newPassword,
    organization: shortText.nullish().meta({ example: "Makerere University" }),
    full_name: shortText.nullish(),
    organization_type: shortText.nullish(),
    sector: z.array(shortText).max(50).nullish(),
  })
  .meta({ id: "RegisterRequest" });
export type RegisterRequest = z.infer<typeof registerRequest>;

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
    "Asks for the token and the password. Profile, tokens, usage, uploads, stored speech and saved transcriptions with " +
    "their audio are removed at once, and the user name is free again. When the request fails midway the account is " +
    "closed: send it again with the same token, and the rest is removed. What stays for a while opens nothing: mailed " +
    "links for a day, with the account's number; a digest of the address for a day, with the count of mails to it; for at " +
    "most two days a file that is uploaded afterwards through a link which was still open; speech that was being made in " +
    "that very moment; logs and backups, for as long as those who run the service keep them.",
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

/** How many days `GET /auth/usage` shows, today included. */
export const shownUsageDays = 30;

const quota = {
  used: z.int(),
  limit: z.int().nullable().meta({ description: "null for accounts without a quota" }),
  remaining: z.int().nullable(),
  resets_at: z.iso.datetime(),
};

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
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          total: z.int(),
          by_operation: z.record(z.string(), z.int()).meta({ example: { translate: 12 } }),
        }),
      )
      .length(shownUsageDays)
      .meta({ description: "The last 30 days, oldest first; operations as this document names them" }),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usage>;

export const usageOperation = defineOperation({
  id: "getUsage",
  method: "GET",
  path: "/auth/usage",
  summary: "What the caller has used of its quota",
  description:
    "Counts tasks. Days and months are those of UTC; requests that were refused are not counted. Until its e-mail address " +
    "is verified, an account has a share of its tier's quota; `once_verified` says what verifying it gives.",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 200, description: "Use and limits", schema: usage },
  errors: [],
  confidential: true,
});
