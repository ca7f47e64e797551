import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createOpenIdProvider } from "../../functions/console/identity/open-id-provider.ts";
import type { IdentityProvider } from "../../shared/platform/config/identity-providers.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { type PlainTestProvider, startPlainProvider } from "../support/oauth2-provider.ts";

const redirectUri = "http://127.0.0.1:9/console/log-in/a/callback";

let at: PlainTestProvider;
beforeAll(async () => {
  at = await startPlainProvider();
});
afterAll(() => at.close());

const nambi = {
  user: { id: 4096, login: "nambi", name: "Nambi Grace", email: "public@example.com", email_verified: true },
  emails: [
    { email: "old@example.com", primary: false, verified: true },
    { email: "nambi.grace@example.com", primary: true, verified: true },
  ],
};
beforeEach(() => {
  at.person = nambi;
  at.requested.length = 0;
  vi.spyOn(logger, "error").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const open = (provider: IdentityProvider = at.settings, secret = at.clientSecret) =>
  createOpenIdProvider({ provider, clientSecret: async () => secret, redirectUri, seconds: 2 });

const withoutEmails = (): IdentityProvider => {
  const { plain, ...rest } = at.settings;
  if (!plain) throw new Error("This provider is a plain one.");
  const { emails: _, ...others } = plain;
  return { ...rest, plain: others };
};

const goThrough = async (provider = open()) => {
  const { address, checks } = await provider.begin();
  const response = await fetch(address, { redirect: "manual" });
  const { searchParams: query } = new URL(response.headers.get("location") ?? "");
  return { address: new URL(address), query, checks };
};

const logIn = async (provider = open()) => {
  const { query, checks } = await goThrough(provider);
  return provider.finish(query, checks, new AbortController().signal);
};

describe("A login at a plain OAuth 2.0 provider", () => {
  it("identifies a person by the configured names, with the primary address", async () => {
    expect(await logIn()).toEqual({
      issuer: at.settings.issuer,
      subject: "4096",
      email: "nambi.grace@example.com",
      emailVerified: true,
      name: "Nambi Grace",
      preferredUsername: "nambi",
    });
    expect(at.requested).toEqual(["/authorize", "/token", ...at.requested.slice(2)]);
    expect(at.requested.slice(2).toSorted()).toEqual(["/user", "/user/emails"]);
  });

  it("asks with state and PKCE, and only for the configured scopes", async () => {
    const { address, checks } = await goThrough();
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: at.settings.clientId,
      response_type: "code",
      scope: "read:user user:email",
      redirect_uri: redirectUri,
      state: checks.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  it.each([
    ["is not verified", [{ email: "nambi.grace@example.com", primary: true, verified: false }]],
    ["is not said to be verified", [{ email: "nambi.grace@example.com", primary: true }]],
  ])("does not count an address as verified that %s", async (_case, emails) => {
    at.person = { ...nambi, emails };
    expect(await logIn()).toMatchObject({ email: "nambi.grace@example.com", emailVerified: false });
  });

  it("has no address without a primary one", async () => {
    at.person = { ...nambi, emails: [{ email: "old@example.com", primary: false, verified: true }] };
    expect(await logIn()).toMatchObject({ email: undefined, emailVerified: false });
  });

  it.each([
    [true, true],
    [undefined, false],
    [1, false],
  ])(
    "takes the user information's word without a list of addresses: %s",
    async (email_verified, expected) => {
      at.person = { user: { ...nambi.user, email_verified }, emails: [] };
      expect(await logIn(open(withoutEmails()))).toMatchObject({
        email: "public@example.com",
        emailVerified: expected,
      });
    },
  );
});

describe("An untrustworthy login at a plain OAuth 2.0 provider", () => {
  it("is refused with a state of another login", async () => {
    const provider = open();
    const [one, other] = [await goThrough(provider), await goThrough(provider)];
    const finished = provider.finish(one.query, other.checks, new AbortController().signal);
    await expect(finished).rejects.toMatchObject({ problem: "untrusted" });
  });

  it("is refused with the code of another login, because of PKCE", async () => {
    const provider = open();
    const [one, other] = [await goThrough(provider), await goThrough(provider)];
    one.query.set("code", other.query.get("code") ?? "");
    const finished = provider.finish(one.query, one.checks, new AbortController().signal);
    await expect(finished).rejects.toMatchObject({ problem: "expired" });
  });

  it.each([
    ["without an identity", { ...nambi.user, id: undefined }],
    ["with an empty one", { ...nambi.user, id: "" }],
    ["with one that is not exact", { ...nambi.user, id: 2 ** 60 }],
  ])("is refused %s", async (_case, user) => {
    at.person = { ...nambi, user };
    await expect(logIn()).rejects.toMatchObject({ problem: "unavailable" });
  });

  it("is refused without encryption, unless the provider is on this machine", async () => {
    const elsewhere = open({ ...at.settings, issuer: "https://accounts.example.org" });
    await expect(elsewhere.begin()).rejects.toMatchObject({ problem: "unavailable" });
  });

  it("is refused with a wrong client secret", async () => {
    await expect(logIn(open(at.settings, "wrong"))).rejects.toMatchObject({ problem: "unavailable" });
  });
});
