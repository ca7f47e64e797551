import * as z from "zod";
import { textVariable } from "./variables.ts";

/** A stage offers at most two identity providers, which its settings, addresses and secret call by these letters. */
export const providerLetters = ["a", "b"] as const;
export type ProviderLetter = (typeof providerLetters)[number];

const loopback = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?:\/|$)/;

/** An OpenID Connect issuer: encrypted, unless it is on this machine. */
export const issuerAddress = z
  .url({ error: "must be an address such as https://accounts.example.org" })
  .refine((address) => address.startsWith("https://") || loopback.test(address), {
    error: "must begin with https://, unless it is on this machine",
  });

const identityProvider = z.object({
  letter: z.enum(providerLetters),
  /** As buttons have it. */
  name: z.string().min(1),
  issuer: issuerAddress,
  clientId: z.string().min(1),
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
