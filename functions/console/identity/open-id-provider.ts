import * as client from "openid-client";
import * as z from "zod";
import type { IdentityProvider, ProviderLetter } from "../../../shared/platform/config/identity-providers.ts";
import { readBody, sendRequest } from "../../../shared/platform/outbound/http-client.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";

/**
 * Why a log-in through a provider came to nothing: it does not answer as it should (`unavailable`), somebody there has said no
 * (`denied`), the log-in is over or was used (`expired`), or what the provider says is not proved (`untrusted`).
 */
export type ProviderProblem = "unavailable" | "denied" | "expired" | "untrusted";

/** A log-in through a provider came to nothing. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly problem: ProviderProblem;

  constructor(problem: ProviderProblem, options?: ErrorOptions) {
    super(`The identity provider's answer: ${problem}.`, options);
    this.problem = problem;
  }
}

/** What the answer of a provider has to match: it goes with the browser that began, and nobody can guess it. */
export interface LogInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who somebody is, as a provider says. */
export interface PersonAtProvider {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
  readonly preferredUsername: string | undefined;
}

/** An OpenID Connect provider as this service uses it: the authorization code flow with PKCE. */
export interface OpenIdProvider {
  readonly letter: ProviderLetter;
  readonly name: string;
  readonly issuer: string;
  /** Where the browser is to go, and what the answer has to match. @throws ProviderError */
  begin(): Promise<{ readonly address: string; readonly checks: LogInChecks }>;
  /** Who has signed in, by the query with which the browser came back. @throws ProviderError */
  finish(query: URLSearchParams, checks: LogInChecks, signal: AbortSignal): Promise<PersonAtProvider>;
}

/** What is needed to talk to a provider. */
export interface OpenIdProviderOptions {
  readonly provider: IdentityProvider;
  /** `undefined` as long as the operator has not put it in. */
  readonly clientSecret: () => Promise<string | undefined>;
  /** Where the provider sends people back to. */
  readonly redirectUri: string;
  /** How long one call may take. */
  readonly seconds?: number;
}

/** Four calls of so long are less than the function has. */
const usualSeconds = 5;
const maxResponseBytes = 1_000_000;
/** What a provider says of itself changes rarely; a failure makes it be asked again at once. */
const metadataMilliseconds = 60 * 60_000;

/** What is not proved, in the codes of openid-client; everything else says that the provider does not work. */
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

/** What may be logged of a failure: a provider's own words may hold anything. */
const reasonOf = (error: unknown): string => {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    return /^\w{1,60}$/.test(error.error) ? error.error : error.name;
  }
  if (error instanceof client.ClientError) return error.code ?? error.name;
  return error instanceof Error ? error.name : typeof error;
};

/** Asks over the service's own connections: with time-outs, without following redirects, and no endless answers. */
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

const personClaims = z.object({
  // By its own spelling, which settings may change by a slash. Absent from what is asked for afterwards.
  iss: z.string().optional(),
  sub: z.string(),
  email: z.email().max(254).optional().catch(undefined),
  // Some providers say it as a text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().trim().min(1).max(200).optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
});

/** Keeps what a provider says of itself. */
const cacheMetadata = (load: () => Promise<client.ServerMetadata>) => {
  let cached: { readonly metadata: Promise<client.ServerMetadata>; readonly until: number } | undefined;
  return {
    get: (): Promise<client.ServerMetadata> => {
      if (cached && performance.now() < cached.until) return cached.metadata;
      const metadata = load();
      const requested = { metadata, until: performance.now() + metadataMilliseconds };
      cached = requested;
      metadata.catch(() => {
        if (cached === requested) cached = undefined;
      });
      return metadata;
    },
    forget: (): void => {
      cached = undefined;
    },
  };
};

/** A provider that is asked over the network. What it says of itself is kept, its keys are read for each log-in. */
export const createOpenIdProvider = ({
  provider,
  clientSecret,
  redirectUri,
  seconds = usualSeconds,
}: OpenIdProviderOptions): OpenIdProvider => {
  const { letter, name, issuer, clientId } = provider;
  const isPlain = issuer.startsWith("http://");
  const execute = [
    client.enableNonRepudiationChecks,
    // Only of this machine: settings take no other such issuer.
    ...(isPlain ? [client.allowInsecureRequests] : []),
  ];

  const metadata = cacheMetadata(async () => {
    const options = { timeout: seconds, execute, [client.customFetch]: fetchWithin(seconds, undefined) };
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, options);
    return found.serverMetadata();
  });

  /** A configuration of its own for each log-in: the provider's keys live as long as it does, so that changed ones are seen. */
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

  const attempt = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step();
    } catch (error) {
      const problem = problemOf(error);
      if (problem !== "denied" && problem !== "expired") {
        metadata.forget();
        logger.error("identity_provider.failed", { provider: letter, problem, reason: reasonOf(error) });
      }
      throw new ProviderError(problem, { cause: error });
    }
  };

  return {
    letter,
    name,
    issuer,

    begin: () =>
      attempt(async () => {
        const checks = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          codeVerifier: client.randomPKCECodeVerifier(),
        };
        const address = client.buildAuthorizationUrl(await configure(), {
          redirect_uri: redirectUri,
          scope: "openid email profile",
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: "S256",
        });
        return { address: address.href, checks };
      }),

    finish: (query, { state, nonce, codeVerifier }, signal) =>
      attempt(async () => {
        const configuration = await configure(signal);
        const tokens = await client.authorizationCodeGrant(
          configuration,
          new URL(`${redirectUri}?${query}`),
          {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
          },
        );
        const claims = personClaims.parse(tokens.claims());
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
        // Many say no more than the subject in the token itself.
        const profile =
          claims.email === undefined && hasMore
            ? personClaims.parse(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub))
            : claims;
        return {
          issuer: claims.iss ?? issuer,
          subject: claims.sub,
          email: profile.email,
          emailVerified: profile.email !== undefined && profile.email_verified === true,
          name: profile.name,
          preferredUsername: profile.preferred_username,
        };
      }),
  };
};
