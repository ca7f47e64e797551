import * as z from "zod";
import { textVariable } from "./variables.ts";

/** A stage offers at most two identity providers, which its settings, addresses and secret call by these letters. */
export const providerLetters = ["a", "b"] as const;
export type ProviderLetter = (typeof providerLetters)[number];

const loopback = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?:\/|$)/;

/** An address of an identity provider: encrypted, unless it is on this machine. */
export const endpointAddress = z
  .url({ error: "must be an address such as https://accounts.example.org" })
  .refine((address) => address.startsWith("https://") || loopback.test(address), {
    error: "must begin with https://, unless it is on this machine",
  });

/** What describes a person, with its names in OpenID Connect. */
export const defaultClaims = {
  subject: "sub",
  username: "preferred_username",
  name: "name",
  email: "email",
  email_verified: "email_verified",
};

/** A plain OAuth 2.0 provider, which has no metadata and no ID tokens. */
const plainProvider = z.object({
  authorization: endpointAddress,
  token: endpointAddress,
  userInfo: endpointAddress,
  /** Lists the person's addresses with `primary` and `verified`, as GitHub does. */
  emails: endpointAddress.optional(),
  /** The provider's names for the claims. */
  claims: z.record(z.string(), z.string()).transform((given) => ({ ...defaultClaims, ...given })),
});

export type PlainProvider = z.infer<typeof plainProvider>;

const identityProvider = z.object({
  letter: z.enum(providerLetters),
  /** As buttons have it. */
  name: z.string().min(1),
  /** What identifies a plain OAuth 2.0 provider, too. */
  issuer: endpointAddress,
  clientId: z.string().min(1),
  scope: z.string().optional(),
  /** Missing for OpenID Connect. */
  plain: plainProvider.optional(),
});

export type IdentityProvider = z.infer<typeof identityProvider>;

const fromJson = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "Expected JSON" });
    return z.NEVER;
  }
});

export const identityProvidersEnvironment = {
  IDENTITY_PROVIDERS: fromJson.pipe(z.array(identityProvider)),
  IDENTITY_PROVIDERS_SECRET_ID: textVariable,
};

/** Client secrets by the provider's letter; one that is absent has not been filled in yet. */
export const clientSecrets = z.partialRecord(z.enum(providerLetters), z.string().min(1));
