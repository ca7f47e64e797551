import * as client from "openid-client";
import * as z from "zod";
import type { PlainProvider } from "../../../shared/platform/config/identity-providers.ts";
import { type PersonAtProvider, personClaims } from "../log-in/person.ts";

/** What an OpenID Connect provider would say about itself. */
export const metadataOf = (
  issuer: string,
  { authorization, token }: PlainProvider,
): client.ServerMetadata => ({
  issuer,
  authorization_endpoint: authorization,
  token_endpoint: token,
  // Every provider accepts it; not all accept the secret in a header.
  token_endpoint_auth_methods_supported: ["client_secret_post"],
});

const record = z.record(z.string(), z.unknown());

/** Some providers number people. */
const subject = z.union([z.string().min(1), z.int()]).transform(String);

const listedEmails = z.array(
  z.object({ email: z.string(), primary: z.boolean().optional(), verified: z.boolean().optional() }),
);

const readJson = async (
  configuration: client.Configuration,
  accessToken: string,
  address: string,
): Promise<unknown> => {
  const headers = new Headers({ Accept: "application/json", "User-Agent": "language-ai-service" });
  const url = new URL(address);
  const response = await client.fetchProtectedResource(configuration, accessToken, url, "GET", null, headers);
  if (!response.ok) throw new Error("The provider does not describe the person.");
  return response.json();
};

/** The primary address of a list, in the form of claims; without a primary one there is none. */
const primaryOf = (list: unknown) => {
  const primary = listedEmails.parse(list).find((listed) => listed.primary === true);
  return { email: primary?.email, email_verified: primary?.verified };
};

/**
 * Reads a person from a plain OAuth 2.0 provider. The token comes from the provider over TLS, in exchange for a code that only this
 * login can use, so it stands for the person without a signature. An address counts as verified only when the provider says so.
 */
export const readPlainPerson = async (
  configuration: client.Configuration,
  accessToken: string,
  { userInfo, emails, claims: names }: PlainProvider,
): Promise<PersonAtProvider> => {
  const [profile, addresses] = await Promise.all([
    readJson(configuration, accessToken, userInfo).then((body) => record.parse(body)),
    emails === undefined ? undefined : readJson(configuration, accessToken, emails).then(primaryOf),
  ]);
  const { email, email_verified, name, preferred_username } = personClaims.parse({
    sub: subject.parse(profile[names.subject]),
    name: profile[names.name],
    preferred_username: profile[names.username],
    ...(addresses ?? {
      email: profile[names.email],
      email_verified: profile[names.email_verified],
    }),
  });
  return {
    issuer: configuration.serverMetadata().issuer,
    subject: subject.parse(profile[names.subject]),
    email,
    emailVerified: email !== undefined && email_verified === true,
    name,
    preferredUsername: preferred_username,
  };
};
