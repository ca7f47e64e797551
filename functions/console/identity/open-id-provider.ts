import * as client from "openid-client";
import type { IdentityProvider, ProviderLetter } from "../../../shared/platform/config/identity-providers.ts";
import { hourMilliseconds } from "../../../shared/platform/durations.ts";
import { readBody, sendRequest } from "../../../shared/platform/outbound/http-client.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { type PersonAtProvider, personClaims } from "../log-in/person.ts";
import { metadataOf, readPlainPerson } from "./plain-provider.ts";

/**
 * Why a login through a provider failed: the provider does not work (`unavailable`), the person refused (`denied`), the login
 * took too long or was used before (`expired`), or the response could not be verified (`untrusted`).
 */
export type ProviderProblem = "unavailable" | "denied" | "expired" | "untrusted";

/** A login through a provider failed. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly problem: ProviderProblem;

  constructor(problem: ProviderProblem, options?: ErrorOptions) {
    super(`The login at the identity provider failed: ${problem}.`, options);
    this.problem = problem;
  }
}

/** Random values that the provider's response must match. The browser that started the login carries them. */
export interface LogInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** An OpenID Connect or OAuth 2.0 provider as this service uses it: the authorization code flow with PKCE. */
export interface OpenIdProvider {
  readonly letter: ProviderLetter;
  readonly name: string;
  readonly issuer: string;
  /** Whether it says when a person has logged in there; plain OAuth 2.0 has no means for that. */
  readonly datesLogIns: boolean;
  /**
   * Starts a login.
   *
   * @param isFresh whether the person must log in there even with a session (`max_age` of OpenID Connect).
   * @returns the address to send the browser to.
   * @throws ProviderError
   */
  begin(isFresh?: boolean): Promise<{ readonly address: string; readonly checks: LogInChecks }>;
  /** Completes a login from the query with which the browser came back. @throws ProviderError */
  finish(query: URLSearchParams, checks: LogInChecks, signal: AbortSignal): Promise<PersonAtProvider>;
}

export interface OpenIdProviderOptions {
  readonly provider: IdentityProvider;
  /** `undefined` until the operator sets it. */
  readonly clientSecret: () => Promise<string | undefined>;
  /** The address that the provider redirects to. */
  readonly redirectUri: string;
  /** Timeout of one call. */
  readonly seconds?: number;
}

/** Four such calls fit into the timeout of the function. */
const callSeconds = 5;
const maxResponseBytes = 1_000_000;
/** The metadata of a provider rarely changes. After a failure it is read again. */
const metadataMilliseconds = hourMilliseconds;

/** Error codes of openid-client that mean `untrusted`; all others mean `unavailable`. */
const untrusted: ReadonlySet<string | undefined> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

const problemOf = (error: unknown): ProviderProblem => {
  if (error instanceof client.AuthorizationResponseError) {
    return error.error === "access_denied" ? "denied" : "unavailable";
  }
  if (error instanceof client.ResponseBodyError) {
    return error.error === "invalid_grant" ? "expired" : "unavailable";
  }
  return error instanceof client.ClientError && untrusted.has(error.code) ? "untrusted" : "unavailable";
};

/** A reason that is safe to log: a provider's own words may contain anything. */
const reasonOf = (error: unknown): string => {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    return /^\w{1,60}$/.test(error.error) ? error.error : error.name;
  }
  if (error instanceof client.ClientError) return error.code ?? error.name;
  return error instanceof Error ? error.name : typeof error;
};

/** A `fetch` over the service's own client: with timeouts and a size limit, and without redirects. */
const fetchWithin =
  (seconds: number, signal: AbortSignal | undefined): client.CustomFetch =>
  async (url, { method, headers, body, signal: own }) => {
    const limits = [own, signal].filter((limit) => limit !== undefined);
    const response = await sendRequest({
      url: new URL(url),
      method: method === "POST" ? "POST" : "GET",
      headers,
      ...(body ? { body: String(body) } : {}),
      signal: AbortSignal.any(limits),
      silenceMilliseconds: seconds * 1_000,
    });
    const text = await readBody(response, maxResponseBytes);
    const status = response.statusCode ?? 0;
    const type = response.headers["content-type"];
    return new Response(status === 204 ? null : text, {
      status,
      ...(type === undefined ? {} : { headers: { "content-type": type } }),
    });
  };

/** Caches the metadata of a provider. */
const cacheMetadata = (load: () => Promise<client.ServerMetadata>) => {
  let cached: { readonly metadata: Promise<client.ServerMetadata>; readonly until: number } | undefined;
  return {
    get: (): Promise<client.ServerMetadata> => {
      if (cached && performance.now() < cached.until) return cached.metadata;
      const metadata = load();
      const current = { metadata, until: performance.now() + metadataMilliseconds };
      cached = current;
      metadata.catch(() => {
        if (cached === current) cached = undefined;
      });
      return metadata;
    },
    forget: (): void => {
      cached = undefined;
    },
  };
};

/** Runs a step of a login. @throws ProviderError; logs failures that are not the reader's choice or delay. */
const attempt = async <Result>(
  letter: ProviderLetter,
  forgetMetadata: () => void,
  step: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await step();
  } catch (error) {
    const problem = problemOf(error);
    if (problem !== "denied" && problem !== "expired") {
      forgetMetadata();
      logger.error("identity_provider.failed", { provider: letter, problem, reason: reasonOf(error) });
    }
    throw new ProviderError(problem, { cause: error });
  }
};

/** Creates the provider's configurations, one for each login: its signing keys are read each time, so changes are noticed. */
const createConfigure = ({ provider, clientSecret, seconds = callSeconds }: OpenIdProviderOptions) => {
  const { issuer, clientId, plain } = provider;
  const execute = [
    // A plain OAuth 2.0 provider has no ID tokens, and so no signing keys.
    ...(plain ? [] : [client.enableNonRepudiationChecks]),
    // Settings allow such an issuer on this machine only.
    ...(issuer.startsWith("http://") ? [client.allowInsecureRequests] : []),
  ];
  const metadata = cacheMetadata(async () => {
    if (plain) return metadataOf(issuer, plain);
    const options = { timeout: seconds, execute, [client.customFetch]: fetchWithin(seconds, undefined) };
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, options);
    return found.serverMetadata();
  });
  const configure = async (signal?: AbortSignal): Promise<client.Configuration> => {
    const [server, secret] = await Promise.all([metadata.get(), clientSecret()]);
    if (secret === undefined) throw new Error("The client secret of the provider is not filled in.");
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authentication = methods.includes("client_secret_post")
      ? client.ClientSecretPost(secret)
      : client.ClientSecretBasic(secret);
    const configuration = new client.Configuration(server, clientId, undefined, authentication);
    configuration.timeout = seconds;
    configuration[client.customFetch] = fetchWithin(seconds, signal);
    for (const extend of execute) extend(configuration);
    return configuration;
  };
  return { configure, forget: metadata.forget };
};

const readOpenIdPerson = async (
  configuration: client.Configuration,
  tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>,
  issuer: string,
): Promise<PersonAtProvider> => {
  const claims = personClaims.parse(tokens.claims());
  // Many providers put only the subject into the token.
  const hasMore =
    claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const profile = hasMore
    ? personClaims.parse(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub))
    : claims;
  return {
    issuer: claims.iss ?? issuer,
    subject: claims.sub,
    email: profile.email,
    emailVerified: profile.email !== undefined && profile.email_verified === true,
    name: profile.name,
    preferredUsername: profile.preferred_username,
    loggedInAt: claims.auth_time,
  };
};

/** A provider over the network. Its metadata is cached; its signing keys are read for each login. */
export const createOpenIdProvider = (options: OpenIdProviderOptions): OpenIdProvider => {
  const { provider, redirectUri } = options;
  const { letter, name, issuer, plain } = provider;
  const { scope = plain ? "" : "openid email profile" } = provider;
  const { configure, forget } = createConfigure(options);
  return {
    letter,
    name,
    issuer,

    datesLogIns: plain === undefined,

    begin: (isFresh = false) =>
      attempt(letter, forget, async () => {
        const checks = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          codeVerifier: client.randomPKCECodeVerifier(),
        };
        const address = client.buildAuthorizationUrl(await configure(), {
          redirect_uri: redirectUri,
          ...(scope === "" ? {} : { scope }),
          state: checks.state,
          ...(plain ? {} : { nonce: checks.nonce, ...(isFresh ? { max_age: "0" } : {}) }),
          code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: "S256",
        });
        return { address: address.href, checks };
      }),

    finish: (query, { state, nonce, codeVerifier }, signal) =>
      attempt(letter, forget, async () => {
        const configuration = await configure(signal);
        const address = new URL(`${redirectUri}?${query}`);
        const tokens = await client.authorizationCodeGrant(configuration, address, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
          ...(plain ? {} : { expectedNonce: nonce, idTokenExpected: true }),
        });
        return plain
          ? readPlainPerson(configuration, tokens.access_token, plain)
          : readOpenIdPerson(configuration, tokens, issuer);
      }),
  };
};
