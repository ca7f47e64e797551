import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createOpenIdProvider,
  type LogInChecks,
  type OpenIdProvider,
} from "../../functions/console/identity/open-id-provider.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { signInAtProvider, startTestProvider, type TestProvider } from "../support/identity-provider.ts";

const redirectUri = "http://127.0.0.1:9/console/log-in/a/callback";

let at: TestProvider;
let another: TestProvider;
beforeAll(async () => {
  at = await startTestProvider("a", redirectUri);
  another = await startTestProvider("b", redirectUri);
});
afterAll(() => Promise.all([at.close(), another.close()]));

const logged: unknown[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(logger, "error").mockImplementation((...line) => void logged.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  at.misbehave({});
  another.misbehave({});
});

const open = (
  { settings, clientSecret }: TestProvider = at,
  { secret = clientSecret, seconds = 5 }: { readonly secret?: string; readonly seconds?: number } = {},
): OpenIdProvider =>
  createOpenIdProvider({ provider: settings, clientSecret: async () => secret, redirectUri, seconds });

const signal = new AbortController().signal;

/** Goes to the provider and comes back, without checking the result yet. */
const goThrough = async (provider: OpenIdProvider, login = "nambi", change?: (address: URL) => void) => {
  const { address, checks } = await provider.begin();
  const changed = new URL(address);
  change?.(changed);
  const { searchParams: query } = await signInAtProvider(changed.href, { login });
  return { query, checks };
};

const finish = (
  provider: OpenIdProvider,
  { query, checks }: { query: URLSearchParams; checks: LogInChecks },
) => provider.finish(query, checks, signal);

describe("A login at an OpenID provider", () => {
  it.each([
    ["nambi", { email: "nambi.grace@example.com", emailVerified: true, name: "Nambi Grace" }],
    ["okello", { email: "okello.james@example.com", emailVerified: false, name: "Okello James" }],
  ])("identifies a person, and whether the address is verified: %s", async (login, claims) => {
    const provider = open();
    expect(await finish(provider, await goThrough(provider, login))).toEqual({
      issuer: at.settings.issuer,
      subject: login,
      preferredUsername: login,
      ...claims,
    });
  });

  it("asks with PKCE, state and nonce, which are others each time", async () => {
    const provider = open();
    const [one, other] = [await provider.begin(), await provider.begin()];
    const query = new URL(one.address).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: "code",
      scope: "openid email profile",
      redirect_uri: redirectUri,
      state: one.checks.state,
      nonce: one.checks.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(query.get("code_challenge")).not.toBe(one.checks.codeVerifier);
    expect(new Set([...Object.values(one.checks), ...Object.values(other.checks)]).size).toBe(6);
  });

  it("asks what the provider says of itself once, and for its keys each time", async () => {
    const provider = open();
    at.requested.length = 0;
    for (let count = 0; count < 2; count += 1) await finish(provider, await goThrough(provider));
    expect(at.requested.filter((path) => path === "/.well-known/openid-configuration")).toHaveLength(1);
    expect(at.requested.filter((path) => path === "/jwks")).toHaveLength(2);
  });

  it("continues when the provider has changed its keys", async () => {
    const provider = open();
    await finish(provider, await goThrough(provider));
    at.changeKeys();
    expect(await finish(provider, await goThrough(provider))).toMatchObject({ subject: "nambi" });
  });
});

describe("An untrustworthy response", () => {
  /** Changes the last part of a token. */
  const withOtherSignature = (token: string): string => {
    const [head, body, signature = ""] = token.split(".");
    return [head, body, signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`].join(
      ".",
    );
  };

  const withoutSignature = (token: string): string => {
    const [, body] = token.split(".");
    return `${Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url")}.${body}.`;
  };

  it.each([
    ["whose ID token has a wrong signature", withOtherSignature],
    ["whose ID token has none", withoutSignature],
  ])("is refused: %s", async (_case, changeIdToken) => {
    const provider = open();
    at.misbehave({ changeIdToken });
    await expect(finish(provider, await goThrough(provider))).rejects.toMatchObject({ problem: "untrusted" });
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain("nambi");
  });

  it("is refused with a nonce of another login", async () => {
    const provider = open();
    const gone = await goThrough(provider, "nambi", ({ searchParams }) =>
      searchParams.set("nonce", "another"),
    );
    await expect(finish(provider, gone)).rejects.toMatchObject({ problem: "untrusted" });
  });

  it("is refused with a state of another login", async () => {
    const provider = open();
    const [one, other] = [await goThrough(provider), await goThrough(provider)];
    await expect(finish(provider, { ...one, checks: other.checks })).rejects.toMatchObject({
      problem: "untrusted",
    });
  });

  it("is refused with the code of another login, because of PKCE", async () => {
    const provider = open();
    const [one, other] = [await goThrough(provider), await goThrough(provider)];
    const query = new URLSearchParams(one.query);
    query.set("code", other.query.get("code") ?? "");
    await expect(finish(provider, { ...one, query })).rejects.toMatchObject({ problem: "expired" });
  });

  it("is refused from another provider than the requested one", async () => {
    const gone = await goThrough(open(another));
    await expect(finish(open(at), gone)).rejects.toMatchObject({ problem: "untrusted" });
  });

  it("is refused the second time", async () => {
    const provider = open();
    const gone = await goThrough(provider);
    await finish(provider, gone);
    await expect(finish(provider, gone)).rejects.toMatchObject({ problem: "expired" });
  });
});

describe("A provider that does not work", () => {
  it("is distinct from a person who declines there", async () => {
    const provider = open();
    await expect(finish(provider, await goThrough(provider, "cancel"))).rejects.toMatchObject({
      problem: "denied",
    });
    expect(logged).toEqual([]);
  });

  it.each([
    ["does not say what it is", { fail: { path: /openid-configuration/, status: 500 } }],
    ["says it too late", { hang: /openid-configuration/ }],
  ])("is unavailable at the start, and requested again next time: it %s", async (_case, how) => {
    const provider = open(at, { seconds: 0.2 });
    at.misbehave(how);
    await expect(provider.begin()).rejects.toMatchObject({ problem: "unavailable" });
    at.misbehave({});
    expect(await provider.begin()).toMatchObject({ address: expect.stringContaining(at.settings.issuer) });
  });

  it.each([
    ["its tokens fail", { fail: { path: /^\/token/, status: 503 } }],
    ["its tokens never come", { hang: /^\/token/ }],
    ["its keys fail", { fail: { path: /^\/jwks/, status: 500 } }],
    ["its keys never come", { hang: /^\/jwks/ }],
    ["its user information never comes", { hang: /^\/me/ }],
  ])("is unavailable at the end: %s", async (_case, how) => {
    const provider = open(at, { seconds: 0.5 });
    const gone = await goThrough(provider);
    at.misbehave(how);
    await expect(finish(provider, gone)).rejects.toMatchObject({ problem: "unavailable" });
  });

  it("is unavailable when its address is closed", async () => {
    const gone = await startTestProvider("a", redirectUri);
    await gone.close();
    await expect(open(gone).begin()).rejects.toMatchObject({ problem: "unavailable" });
  });

  it("is unavailable with a wrong client secret, and the log says so without it", async () => {
    const provider = open(at, { secret: "not the client secret" });
    await expect(finish(provider, await goThrough(provider))).rejects.toMatchObject({
      problem: "unavailable",
    });
    expect(logged).toEqual([
      ["identity_provider.failed", { provider: "a", problem: "unavailable", reason: "invalid_client" }],
    ]);
  });
});
