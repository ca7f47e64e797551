import * as z from "zod";
import { identitySchema } from "../repositories/identities-repository.ts";
import { connection } from "../repositories/links-repository.ts";

/** How a request for a higher tier may end. */
export const tierDecisions = ["accepted", "declined"] as const;
export type TierDecision = (typeof tierDecisions)[number];

/** What a mail reports to the owner. */
export const securityEvents = [
  "password-set",
  "identity-added",
  "identity-removed",
  "key-created",
  "token-created",
  "export-link",
  "webhook-secret-shown",
  "webhook-secret-replaced",
] as const;
export type SecurityEvent = (typeof securityEvents)[number];

/** A requested mail. It names an account and never a link: links are created when the mail is written. */
export const mailRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verify-email"), userId: z.int() }),
  /** Also sent for addresses without an account, so all requests take the same time. */
  z.object({ kind: z.literal("reset-password"), email: z.string() }),
  /** What ended when the owner of the address proved it for the first time. */
  z.object({
    kind: z.literal("first-proof"),
    userId: z.int(),
    ended: z.object({
      password: z.boolean(),
      /** Requests of older versions do not say it. */
      secondFactor: z.boolean().optional(),
      keys: z.int(),
      identities: z.int(),
    }),
  }),
  /** The password was reset; these keys still work. */
  z.object({
    kind: z.literal("password-reset"),
    userId: z.int(),
    keys: z.array(z.object({ name: z.string(), prefix: z.string() })),
    /** Requests of older versions do not list them. */
    identities: z.array(identitySchema.pick({ issuer: true, email: true })).default([]),
  }),
  /** Its owner wants to confirm an act, and has neither a password nor a provider that shows a recent login. */
  z.object({ kind: z.literal("confirm-owner"), userId: z.int() }),
  /** Something in the console that an owner must notice if another person has done it. */
  z.object({
    kind: z.literal("security-notice"),
    userId: z.int(),
    event: z.enum(securityEvents),
    /** The name of the key or provider. */
    detail: z.string().optional(),
  }),
  /** Someone who logged in at a provider with the address of the account wants to add that login to it. */
  z.object({ kind: z.literal("connect-identity"), userId: z.int(), connects: connection }),
  /** A second factor was set up, or turned off. */
  z.object({ kind: z.literal("second-factor-on"), userId: z.int() }),
  z.object({ kind: z.literal("second-factor-off"), userId: z.int() }),
  /** An operator has removed it for an owner who has lost the phone and the recovery codes. */
  z.object({ kind: z.literal("second-factor-removed"), userId: z.int() }),
  z.object({ kind: z.literal("recovery-codes-replaced"), userId: z.int() }),
  z.object({ kind: z.literal("recovery-code-used"), userId: z.int(), codesLeft: z.int() }),
  /** An operator has decided about the account's request for a higher tier. */
  z.object({
    kind: z.literal("tier-decided"),
    userId: z.int(),
    decision: z.enum(tierDecisions),
    note: z.string(),
  }),
  /** The account, or the key with this id, has used most of its month. */
  z.object({
    kind: z.literal("month-used"),
    userId: z.int(),
    percent: z.union([z.literal(80), z.literal(100)]),
    used: z.int(),
    limit: z.int(),
    /** The day on which the next month begins. */
    until: z.iso.date(),
    keyId: z.string().optional(),
  }),
  /** The account still calls routes that end on a day. */
  z.object({
    kind: z.literal("routes-end"),
    userId: z.int(),
    sunset: z.iso.date(),
    routes: z.array(z.string()),
  }),
  /** Its owner did not create the account with this address. */
  z.object({ kind: z.literal("disowned"), email: z.string(), erasedOn: z.iso.date() }),
]);
export type MailRequest = z.infer<typeof mailRequest>;
