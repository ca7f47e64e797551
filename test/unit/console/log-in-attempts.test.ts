import { SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogInAttempts, type LogInAttempt } from "../../../functions/console/log-in/log-in-attempts.ts";
import { createSigningKeySource, createTokens } from "../../../shared/accounts/access/tokens.ts";

const secret = "a secret of tests that is long enough to sign with";
const keysOf = (current: string, previous?: string) =>
  createSigningKeySource(async (version) => (version === "AWSCURRENT" ? current : previous));

const attempt: LogInAttempt = {
  provider: "a",
  checks: { state: "state", nonce: "nonce", codeVerifier: "verifier" },
  next: "/console/usage",
};

const attempts = createLogInAttempts(keysOf(secret));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("What the browser stores of a login through a provider", () => {
  it("is read again for ten minutes", async () => {
    const sealed = await attempts.seal(attempt);
    vi.setSystemTime(Date.now() + 599_000);
    expect(await attempts.open(sealed)).toEqual(attempt);
    vi.setSystemTime(Date.now() + 2_000);
    expect(await attempts.open(sealed)).toBeUndefined();
  });

  it("is read after the signing key was changed", async () => {
    const changed = createLogInAttempts(keysOf("another secret of tests that is long enough", secret));
    expect(await changed.open(await attempts.seal(attempt))).toEqual(attempt);
  });

  it("cannot be forged or changed", async () => {
    const forged = await createLogInAttempts(keysOf("a guess of somebody that is as long as a key")).seal(
      attempt,
    );
    const [head, , signature] = (await attempts.seal(attempt)).split(".");
    const body = Buffer.from(JSON.stringify({ attempt: { ...attempt, next: "/x" }, exp: 2 ** 33 }));
    const changed = [head, body.toString("base64url"), signature].join(".");
    const unsigned = `${Buffer.from(`{"alg":"none","typ":"log-in-attempt+jwt"}`).toString("base64url")}.${body.toString("base64url")}.`;
    for (const sealed of [forged, changed, unsigned, "", "x.y.z"]) {
      expect(await attempts.open(sealed)).toBeUndefined();
    }
  });

  it("is no access token, and an access token is not it", async () => {
    const tokens = createTokens(keysOf(secret));
    expect(await tokens.verify(await attempts.seal(attempt))).toBeUndefined();
    const token = await tokens.sign({ userId: 7, tokenId: "one", tokenEpoch: 0 }, 600);
    expect(await attempts.open(token)).toBeUndefined();
  });

  it("expires, with any signature", async () => {
    const { current } = await keysOf(secret).get();
    const endless = await new SignJWT({ attempt: attempt })
      .setProtectedHeader({ alg: "HS256", typ: "log-in-attempt+jwt" })
      .sign(current);
    expect(await attempts.open(endless)).toBeUndefined();
  });
});
