import * as z from "zod";
import { scopes } from "../../../shared/accounts/access/api-keys.ts";
import { keyRequest } from "../../../shared/accounts/profile/manage-keys.ts";
import { accountKeywords, organizationTypes } from "../../../shared/accounts/profile/manage-profile.ts";
import { givenPassword } from "../../../shared/accounts/sign-in/fields.ts";
import { newPassword } from "../../../shared/accounts/sign-in/registration.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { transcriptionLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { providerLetters } from "../../../shared/platform/config/identity-providers.ts";
import { optionalField, text } from "../../../shared/platform/validation/fields.ts";
import { maxCallbackUrlLength } from "../../../shared/recordings/callbacks/callback-url.ts";

/** The outcome that a page shows after one of its forms. */
const done = <const Outcome extends string>(outcomes: readonly Outcome[]) =>
  z.object({ done: z.enum(outcomes).optional().catch(undefined) });

/** What `proofField` requires; missing where that is a recent login. */
const password = givenPassword.optional();

/** A field that is sent once for each chosen value. */
const chosen = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((sent) => (sent === undefined ? [] : [sent].flat()), z.array(value));

export const overviewPage = definePage({
  id: "overview",
  path: "/console",
  audience: "signed-in",
  title: ({ navigation }) => navigation.overview,
  query: done(["sent"]),
  form: z.object({ action: z.literal("send-verification") }),
  styles: ["account"],
});

const wholeNumber = z
  .string()
  .refine((digits) => /^\d{1,12}$/.test(digits), { params: { rule: "notANumber" }, abort: true })
  .transform(Number);

/** The last moment of a day in UTC. */
export const endOfDay = (day: string): string => `${day}T23:59:59Z`;

export const tokensPage = definePage({
  id: "tokens",
  path: "/console/tokens",
  audience: "signed-in",
  title: ({ tokens }) => tokens.title,
  query: done(["revoked", "already-revoked", "revoked-all", "tokens-revoked"]),
  form: z.discriminatedUnion("action", [
    z.object({
      action: z.literal("make-key"),
      forms_used: wholeNumber,
      name: keyRequest.shape.name,
      scopes: chosen(z.enum(scopes)),
      last_day: optionalField(
        z.iso.date({ abort: true }).refine((day) => Date.parse(endOfDay(day)) > Date.now(), {
          params: { rule: "past" },
        }),
      ),
      monthly_limit: optionalField(wholeNumber.pipe(keyRequest.shape.monthly_limit.unwrap().unwrap())),
      requests_per_minute: optionalField(
        wholeNumber.pipe(keyRequest.shape.requests_per_minute.unwrap().unwrap()),
      ),
      password,
    }),
    z.object({ action: z.literal("revoke-key"), key: z.string().min(1).max(64) }),
    z.object({ action: z.literal("revoke-all-keys") }),
    z.object({ action: z.literal("make-token"), forms_used: wholeNumber, password }),
    z.object({ action: z.literal("revoke-all-tokens") }),
  ]),
  styles: ["account"],
  confidential: true,
});

/** A request in an address: when it ended, and its id. */
const requestMark = z
  .templateLiteral([z.iso.datetime(), ",", z.string().regex(/^[A-Za-z0-9._-]{1,128}$/)])
  .transform((mark) => ({ at: mark.slice(0, mark.indexOf(",")), id: mark.slice(mark.indexOf(",") + 1) }));

/** The periods that the page of usage offers, all of them until today. */
export const usageRanges = ["7d", "30d", "90d"] as const;

export const usagePage = definePage({
  id: "usage",
  path: "/console/usage",
  audience: "signed-in",
  title: ({ navigation }) => navigation.usage,
  query: z.object({
    from: optionalField(z.iso.date()).catch(undefined),
    to: optionalField(z.iso.date()).catch(undefined),
    range: z.enum(usageRanges).optional().catch(undefined),
    format: z.literal("csv").optional().catch(undefined),
    /** Only requests with this id. */
    request: optionalField(z.string().trim().max(128)).catch(undefined),
    /** Only requests before this one. */
    before: optionalField(requestMark).catch(undefined),
  }),
  styles: ["account"],
});

const recordingLanguage = optionalField(z.enum(transcriptionLanguages.map(({ code }) => code)));

/** The fields for the languages that recordings may be in. */
export const candidateFields = ["language_1", "language_2", "language_3"] as const;

const shortField = optionalField(text().trim().max(200));

/** Fields of the profile that can be changed, but not cleared. */
export const requiredOnceSet = ["full_name", "organization_type"] as const;

/** The pages of an account, in the order of their tabs. All forms are sent to the same address. */
export const accountSections = ["profile", "security", "webhooks", "export", "data"] as const;
export type AccountSection = (typeof accountSections)[number];

export const accountPage = definePage({
  id: "account",
  path: "/console/account",
  audience: "signed-in",
  title: ({ navigation }) => navigation.account,
  query: done([
    ...(["terms-accepted", "export-requested", "second-factor-off", "confirmed"] as const),
    ...(["saved", "sent", "password-changed", "password-set", "unlinked"] as const),
    ...(["secret-replaced", "resent", "tested"] as const),
  ]).extend({
    section: z.enum(accountSections).optional().catch(undefined),
    /** Fields that the form tried to clear. */
    kept: optionalField(z.string())
      .catch(undefined)
      .transform((names) => requiredOnceSet.filter((name) => names?.split(",").includes(name))),
    /** The identity provider that was just added. */
    joined: z.enum(providerLetters).optional().catch(undefined),
  }),
  form: z.discriminatedUnion("action", [
    z.object({
      action: z.literal("save-profile"),
      full_name: shortField,
      organization: shortField,
      organization_type: optionalField(z.enum(organizationTypes)),
      sector: optionalField(text().max(1_000)),
      keywords: optionalField(
        text()
          .max(4_000)
          .transform((value) => value.split(/[,\n]/u).filter((keyword) => keyword.trim() !== ""))
          .pipe(accountKeywords),
      ),
      default_language: recordingLanguage,
      language_1: recordingLanguage,
      language_2: recordingLanguage,
      language_3: recordingLanguage,
    }),
    z.object({
      action: z.literal("change-password"),
      old_password: givenPassword,
      new_password: newPassword,
    }),
    z.object({ action: z.literal("set-password"), first_password: newPassword, password }),
    z.object({ action: z.literal("send-verification") }),
    z.object({ action: z.literal("log-out-everywhere") }),
    z.object({ action: z.literal("unlink"), identity: z.string().min(1).max(200), password }),
    z.object({ action: z.literal("show-secret"), password }),
    z.object({ action: z.literal("replace-secret"), password }),
    z.object({ action: z.literal("export-account"), password }),
    z.object({ action: z.literal("export-link"), password }),
    z.object({ action: z.literal("accept-terms"), version: z.string().max(40) }),
    z.object({ action: z.literal("test-webhook"), url: text().trim().min(1).max(maxCallbackUrlLength) }),
    z.object({ action: z.literal("resend-webhook"), job: z.string().min(1).max(64) }),
    z.object({ action: z.literal("delete-account"), password }),
  ]),
  styles: ["account"],
  // It may show the webhook secret.
  confidential: true,
});
