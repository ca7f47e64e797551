import * as z from "zod";
import {
  defaultClaims,
  endpointAddress,
  type IdentityProvider,
  type ProviderLetter,
  providerLetters,
} from "../shared/platform/config/identity-providers.ts";

const text = z.string().min(1, { error: "must not be empty" });

const claimsError = `must be names such as subject=id,email=mail; the first of each pair is one of ${Object.keys(defaultClaims).join(", ")}`;

const provider = {
  name: z
    .string()
    .trim()
    .min(1, { error: "must not be empty" })
    .max(40, { error: "must have at most 40 characters, to fit on a button" })
    .optional(),
  kind: z.enum(["oidc", "oauth2"], { error: "must be oidc or oauth2" }).default("oidc"),
  issuer: endpointAddress.optional(),
  clientId: text.optional(),
  endpoint: endpointAddress.optional(),
  scope: text.optional(),
  claims: z
    .string()
    .transform((given) => given.split(",").map((pair) => pair.split("=").map((part) => part.trim())))
    .refine(
      (pairs) =>
        pairs.every(([name = "", claim, ...rest]) => name in defaultClaims && claim && rest.length === 0),
      { error: claimsError },
    )
    .transform((pairs) => ({ ...defaultClaims, ...Object.fromEntries(pairs) }))
    .optional(),
};

/** The settings of the two identity providers. */
export const identityProviderSettings = {
  /** The name of the first identity provider on its button; by default its host. */
  IDP_A_NAME: provider.name,
  /** `oidc` for OpenID Connect, or `oauth2` for plain OAuth 2.0, as with GitHub, which needs the endpoints below. */
  IDP_A_KIND: provider.kind,
  /**
   * The first provider that people can log in with: the `issuer` in its `/.well-known/openid-configuration`. With `oauth2` it only
   * names the provider and must not change. Without it the console offers none.
   */
  IDP_A_ISSUER: provider.issuer,
  /** This service's client id at the first identity provider. The client secret is in the secret of `IdentityProvidersSecretArn`. */
  IDP_A_CLIENT_ID: provider.clientId,
  /** Where a plain OAuth 2.0 provider lets people log in. */
  IDP_A_AUTHORIZATION_ENDPOINT: provider.endpoint,
  /** Where it exchanges codes for tokens. */
  IDP_A_TOKEN_ENDPOINT: provider.endpoint,
  /** Where it describes the person, as JSON. */
  IDP_A_USER_INFO_ENDPOINT: provider.endpoint,
  /** Where it lists the person's email addresses with `primary` and `verified`, as GitHub does; by default nowhere. */
  IDP_A_EMAILS_ENDPOINT: provider.endpoint,
  /** The scopes to request, with spaces between them; by default `openid email profile`, and none with `oauth2`. */
  IDP_A_SCOPE: provider.scope,
  /** The provider's names for what describes a person, such as `subject=id,username=login`. */
  IDP_A_CLAIMS: provider.claims,
  /** The same for the second identity provider. */
  IDP_B_NAME: provider.name,
  /** The same for the second identity provider. */
  IDP_B_KIND: provider.kind,
  /** The same for the second identity provider. */
  IDP_B_ISSUER: provider.issuer,
  /** The same for the second identity provider. */
  IDP_B_CLIENT_ID: provider.clientId,
  /** The same for the second identity provider. */
  IDP_B_AUTHORIZATION_ENDPOINT: provider.endpoint,
  /** The same for the second identity provider. */
  IDP_B_TOKEN_ENDPOINT: provider.endpoint,
  /** The same for the second identity provider. */
  IDP_B_USER_INFO_ENDPOINT: provider.endpoint,
  /** The same for the second identity provider. */
  IDP_B_EMAILS_ENDPOINT: provider.endpoint,
  /** The same for the second identity provider. */
  IDP_B_SCOPE: provider.scope,
  /** The same for the second identity provider. */
  IDP_B_CLAIMS: provider.claims,
};

type Settings = z.output<z.ZodObject<typeof identityProviderSettings>>;

const prefixes = { a: "IDP_A", b: "IDP_B" } as const;

const endpointsOf = (settings: Settings, letter: ProviderLetter) => {
  const prefix = prefixes[letter];
  return {
    [`${prefix}_AUTHORIZATION_ENDPOINT`]: settings[`${prefix}_AUTHORIZATION_ENDPOINT`],
    [`${prefix}_TOKEN_ENDPOINT`]: settings[`${prefix}_TOKEN_ENDPOINT`],
    [`${prefix}_USER_INFO_ENDPOINT`]: settings[`${prefix}_USER_INFO_ENDPOINT`],
  };
};

/** Reports settings of a provider that do not fit together. */
export const checkIdentityProviders = (settings: Settings, context: z.RefinementCtx): void => {
  for (const letter of providerLetters) {
    const prefix = prefixes[letter];
    const report = (setting: string, message: string) =>
      context.addIssue({ code: "custom", path: [setting], message });
    if ((settings[`${prefix}_ISSUER`] === undefined) !== (settings[`${prefix}_CLIENT_ID`] === undefined))
      report(`${prefix}_ISSUER`, `goes together with ${prefix}_CLIENT_ID`);
    const isPlain = settings[`${prefix}_KIND`] === "oauth2";
    for (const [setting, value] of Object.entries(endpointsOf(settings, letter))) {
      // Reported at the setting that is given.
      if (isPlain && value === undefined) report(`${prefix}_KIND`, `oauth2 needs ${setting}`);
      if (!isPlain && value !== undefined) report(setting, `needs ${prefix}_KIND oauth2`);
    }
  }
};

/** The identity providers that people can log in with, besides their passwords. */
export const identityProvidersOf = (settings: Settings): IdentityProvider[] =>
  providerLetters.flatMap((letter) => {
    const prefix = prefixes[letter];
    const issuer = settings[`${prefix}_ISSUER`];
    const clientId = settings[`${prefix}_CLIENT_ID`];
    if (issuer === undefined || clientId === undefined) return [];
    const name = settings[`${prefix}_NAME`] ?? new URL(issuer).host;
    const scope = settings[`${prefix}_SCOPE`];
    const shared = { letter, name, issuer, clientId, ...(scope === undefined ? {} : { scope }) };
    const authorization = settings[`${prefix}_AUTHORIZATION_ENDPOINT`];
    const token = settings[`${prefix}_TOKEN_ENDPOINT`];
    const userInfo = settings[`${prefix}_USER_INFO_ENDPOINT`];
    if (authorization === undefined || token === undefined || userInfo === undefined) return [shared];
    const emails = settings[`${prefix}_EMAILS_ENDPOINT`];
    const claims = settings[`${prefix}_CLAIMS`] ?? defaultClaims;
    const plain = { authorization, token, userInfo, claims, ...(emails === undefined ? {} : { emails }) };
    return [{ ...shared, plain }];
  });
