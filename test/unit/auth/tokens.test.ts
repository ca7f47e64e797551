import { createHmac } from "node:crypto";
import { SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSigningKeySource } from "../../../shared/auth/signing-keys.ts";
import { bearerToken, createTokens } from "../../../shared/auth/tokens.ts";
import { logger } from "../../../shared/telemetry/logger.ts";

const day = 24 * 60 * 60;

const setup = (secrets: { current: string; previous?: string } = { current: "first-secret" }) => {
  const read = vi.fn(async (version: string) =>
    version === "AWSCURRENT" ? secrets.current : secrets.previous,
  );
  return { secrets, read, tokens: createTokens(createSigningKeySource(read)) };
};

const claims = { userId: 7, tokenId: "token-1" };
const key = (secret: string) => new TextEncoder().encode(secret);

/** A token like ours, except for what a forger changed. */
const forge = (change: (jwt: SignJWT) => SignJWT, { secret = "first-secret", header = {} } = {}) =>
  change(
    new SignJWT({ sub: "7", jti: "token-1" })
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt", ...header })
      .setIssuer("language-ai-service")
      .setAudience("language-ai-service")
      .setIssuedAt(),
  ).sign(key(secret));

const withUnknownCriticalParameter = (): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = part({ alg: "HS256", typ: "at+jwt", crit: ["unknown"], unknown: true });
  const payload = part({
    sub: "7",
    jti: "token-1",
    iat: 1,
    iss: "language-ai-service",
    aud: "language-ai-service",
  });
  const signature = createHmac("sha256", "first-secret").update(`${header}.${payload}`).digest("base64url");
  return `${header}.${payload}.${signature}`;
};

afterEach(() => {
  vi.useRealTimers();
});

describe("an access token", () => {
  it("names its account and itself to whoever has the key", async () => {
    const { tokens } = setup();
    expect(await tokens.verify(await tokens.sign(claims, day))).toEqual(claims);
  });

  it("ends with its lifetime, also when it was seen before", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { tokens } = setup();
    const token = await tokens.sign(claims, day);
    expect(await tokens.verify(token)).toEqual(claims);
    vi.setSystemTime(Date.now() + (day + 60) * 1_000);
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await setup().tokens.verify(token)).toBeUndefined();
  });

  it("without a lifetime does not end", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { tokens } = setup();
    const token = await tokens.sign(claims, undefined);
    vi.setSystemTime(Date.now() + 100 * 365 * day * 1_000);
    expect(await tokens.verify(token)).toEqual(claims);
  });

  it("signed before a rotation of the secret still counts", async () => {
    const old = await setup({ current: "old-secret" }).tokens.sign(claims, day);
    const { tokens } = setup({ current: "new-secret", previous: "old-secret" });
    expect(await tokens.verify(old)).toEqual(claims);
  });

  it("signed with a secret that was rotated in later is accepted without a restart", async () => {
    const { tokens, secrets } = setup({ current: "old-secret" });
    await tokens.sign(claims, day);
    const fresh = await setup({ current: "new-secret" }).tokens.sign(claims, day);
    Object.assign(secrets, { current: "new-secret", previous: "old-secret" });
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 61_000);
    expect(await tokens.verify(fresh)).toEqual(claims);
    vi.restoreAllMocks();
  });

  it("that is forged does not make the service read its secret again and again", async () => {
    const { tokens, read } = setup();
    const forged = await forge((jwt) => jwt, { secret: "another-secret" });
    for (let attempt = 0; attempt < 20; attempt += 1) await tokens.verify(`${forged}${attempt}`);
    expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it("that is forged does not cost good tokens their keys while the secret cannot be read", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const log = vi.spyOn(logger, "warn").mockReturnValue();
    const { tokens, read } = setup();
    const good = [await tokens.sign(claims, day), await tokens.sign({ ...claims, tokenId: "token-2" }, day)];
    vi.advanceTimersByTime(60_000);
    read.mockRejectedValue(new Error("Secrets Manager does not answer."));
    const forged = await forge((jwt) => jwt, { secret: "another-secret" });
    expect(await tokens.verify(forged)).toBeUndefined();
    expect(log).toHaveBeenCalledWith("secret.not_refreshed", expect.anything());
    for (const token of good) expect(await tokens.verify(token)).toMatchObject({ userId: 7 });
    expect(await tokens.sign(claims, day)).toEqual(expect.any(String));
    log.mockRestore();
  });

  it.each([
    ["signed with another secret", () => forge((jwt) => jwt, { secret: "another-secret" })],
    ["of another type", () => forge((jwt) => jwt, { header: { typ: "JWT" } })],
    ["of another issuer", () => forge((jwt) => jwt.setIssuer("somebody"))],
    ["for another audience", () => forge((jwt) => jwt.setAudience("somebody"))],
    ["without a subject", () => forge((jwt) => jwt.setSubject(""))],
    ["with a subject that is no account id", () => forge((jwt) => jwt.setSubject("7; DROP"))],
    ["without an id", () => forge((jwt) => jwt.setJti(""))],
    ["not yet valid", () => forge((jwt) => jwt.setNotBefore("1h"))],
    ["with critical parameters nobody knows", async () => withUnknownCriticalParameter()],
    ["without a signature", async () => new UnsecuredJWT({ sub: "7", jti: "token-1" }).encode()],
    ["with its signature cut off", async () => (await forge((jwt) => jwt)).replace(/\.[^.]*$/, ".")],
    ["that is no token", async () => "hello"],
    ["that is empty", async () => ""],
  ])("%s is refused", async (_case, make) => {
    const { tokens } = setup();
    expect(await tokens.verify(await make())).toBeUndefined();
  });

  it("with any single bit of its signature changed is refused", async () => {
    const { tokens } = setup();
    const [header, payload, signature = ""] = (await tokens.sign(claims, day)).split(".");
    const bytes = Buffer.from(signature, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const token = `${header}.${payload}.${changed.toString("base64url")}`;
      expect(await tokens.verify(token), `bit ${bit}`).toBeUndefined();
    }
  });
});

describe("an Authorization header", () => {
  it.each([
    ["Bearer abc.def.ghi", "abc.def.ghi"],
    ["bearer abc.def.ghi", "abc.def.ghi"],
    ["Bearer   abc", "abc"],
    ["Basic abc", undefined],
    ["Bearer", undefined],
    ["Bearer ", undefined],
    ["Bearer a b", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%j carries the token %j", (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
