import { createHmac } from "node:crypto";
import { SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  bearerToken,
  createSigningKeySource,
  createTokens,
  newTokenId,
} from "../../../shared/accounts/access/tokens.ts";

const day = 24 * 60 * 60;

const setup = (
  secrets: { current: string; previous?: string } = { current: "first-secret-of-more-than-thirty-two-bytes" },
) => {
  const read = vi.fn(async (version: string) =>
    version === "AWSCURRENT" ? secrets.current : secrets.previous,
  );
  return { secrets, read, tokens: createTokens(createSigningKeySource(read)) };
};

const claims = { userId: 7, tokenId: "token-1", tokenEpoch: 3 };
const key = (secret: string) => new TextEncoder().encode(secret);

/** A token like ours, except for what a forger changed. */
const forge = (
  change: (jwt: SignJWT) => SignJWT,
  { secret = "first-secret-of-more-than-thirty-two-bytes", header = {} } = {},
) =>
  change(
    new SignJWT({ sub: "7", jti: "token-1", epoch: 3 })
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt", ...header })
      .setIssuer("language-ai-service")
      .setAudience("language-ai-service")
      .setIssuedAt(),
  ).sign(key(secret));

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());

/** A token under the right secret whose parts a library would not write. */
const signedByHand = (
  changedClaims: object,
  changedHeader: object = {},
  secret = "first-secret-of-more-than-thirty-two-bytes",
): string => {
  const header = encoded({ alg: "HS256", typ: "at+jwt", ...changedHeader });
  const payload = encoded({
    sub: "7",
    jti: "token-1",
    epoch: 3,
    iat: 1,
    iss: "language-ai-service",
    aud: "language-ai-service",
    ...changedClaims,
  });
  const signature = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  return `${header}.${payload}.${signature}`;
};

afterEach(() => {
  vi.useRealTimers();
});

describe("an access token", () => {
  it("shows its account, itself, its epoch and its end to anyone with the signing key", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_795_000_000_700 });
    const { tokens } = setup();
    expect(await tokens.verify(await tokens.sign(claims, day))).toEqual({
      ...claims,
      tokenExpiresAt: 1_795_000_000 + day,
    });
    expect(await tokens.verify(await tokens.sign(claims, undefined))).toEqual(claims);
  });

  it("without a lifetime does not end", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { tokens } = setup();
    const token = await tokens.sign(claims, undefined);
    vi.setSystemTime(Date.now() + 100 * 365 * day * 1_000);
    expect(await tokens.verify(token)).toMatchObject(claims);
  });

  it("counts from any creator, if all of it is as the service writes it", async () => {
    const { tokens } = setup();
    expect(await tokens.verify(await forge((jwt) => jwt.setNotBefore("-1s")))).toMatchObject(claims);
  });

  it("that is limited names what it is for, in the standard's words, also when it is seen again", async () => {
    const { tokens } = setup();
    const token = await tokens.sign({ ...claims, scopes: ["translate", "speech"] }, day);
    expect(decoded(token.split(".")[1] ?? "")).toMatchObject({ scope: "translate speech" });
    expect(await tokens.verify(token)).toMatchObject({ ...claims, scopes: ["translate", "speech"] });
    expect(await tokens.verify(token)).toMatchObject({ scopes: ["translate", "speech"] });
    expect(await tokens.verify(await tokens.sign({ ...claims, scopes: [] }, day))).toMatchObject({
      scopes: [""],
    });
  });

  it("counts until the second in which its lifetime ends, and not in it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T10:00:00Z") });
    const { tokens } = setup();
    const token = await tokens.sign(claims, 60);
    vi.setSystemTime(Date.parse("2026-11-20T10:00:59.999Z"));
    expect(await tokens.verify(token)).toMatchObject(claims);
    expect(await setup().tokens.verify(token)).toMatchObject(claims);
    vi.setSystemTime(Date.parse("2026-11-20T10:01:00Z"));
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await setup().tokens.verify(token)).toBeUndefined();
  });

  it("says what it is in the standard's words", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T10:00:00.900Z") });
    const { tokens } = setup();
    const [header, payload] = (await tokens.sign(claims, 60)).split(".").slice(0, 2).map(decoded);
    const issuedAt = Date.parse("2026-11-20T10:00:00Z") / 1_000;
    expect(header).toEqual({ alg: "HS256", typ: "at+jwt" });
    expect(payload).toEqual({
      iss: "language-ai-service",
      aud: "language-ai-service",
      sub: "7",
      jti: "token-1",
      epoch: 3,
      iat: issuedAt,
      exp: issuedAt + 60,
    });
  });

  it.each([
    ["without the time of its issue", { iat: undefined }],
    ["without an issuer", { iss: undefined }],
    ["without an audience", { aud: undefined }],
    ["without an id at all", { jti: undefined }],
    ["without a subject at all", { sub: undefined }],
    ["of account 0", { sub: "0" }],
    ["of account 07", { sub: "07" }],
    ["of an account beyond all numbers", { sub: "1".repeat(17) }],
    ["that ends at no moment", { exp: "tomorrow" }],
    ["that ended", { exp: 1 }],
    ["without an epoch, as tokens were that the table knew", { epoch: undefined }],
    ["whose epoch is no number", { epoch: "3" }],
    ["in the middle of an epoch", { epoch: 3.5 }],
    ["whose scope is no text", { scope: ["translate"] }],
  ])("%s is refused, and accepted without that change", async (_case, change) => {
    const { tokens } = setup();
    expect(await tokens.verify(signedByHand({}))).toMatchObject(claims);
    expect(await tokens.verify(signedByHand(change))).toBeUndefined();
  });

  it.each([
    [
      "signed with another secret",
      () => forge((jwt) => jwt, { secret: "another-secret-of-more-than-thirty-two-bytes" }),
    ],
    ["of another type", () => forge((jwt) => jwt, { header: { typ: "JWT" } })],
    ["of another issuer", () => forge((jwt) => jwt.setIssuer("somebody"))],
    ["for another audience", () => forge((jwt) => jwt.setAudience("somebody"))],
    ["without a subject", () => forge((jwt) => jwt.setSubject(""))],
    ["with a subject that is no account id", () => forge((jwt) => jwt.setSubject("7; DROP"))],
    ["without an id", () => forge((jwt) => jwt.setJti(""))],
    ["not yet valid", () => forge((jwt) => jwt.setNotBefore("1h"))],
    ["with unknown critical parameters", async () => signedByHand({}, { crit: ["unknown"], unknown: true })],
    ["without a signature", async () => new UnsecuredJWT({ sub: "7", jti: "token-1" }).encode()],
    ["with its signature cut off", async () => (await forge((jwt) => jwt)).replace(/\.[^.]*$/, ".")],
    ["that is no token", async () => "hello"],
    ["that is empty", async () => ""],
  ])("%s is refused", async (_case, make) => {
    const { tokens } = setup();
    expect(await tokens.verify(await make())).toBeUndefined();
  });
});

describe("the id of a new token", () => {
  it("is short, and never the same", () => {
    const ids = Array.from({ length: 1_000 }, newTokenId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\w-]{16}$/);
  });
});

describe("a signing secret", () => {
  const short = "x".repeat(31);

  it.each([
    ["that is empty", ""],
    ["that has 31 bytes", short],
  ])("%s signs nothing and verifies nothing", async (_case, current) => {
    const { tokens } = setup({ current });
    await expect(tokens.sign(claims, day)).rejects.toThrow("fewer than 32 bytes");
    await expect(tokens.verify(signedByHand({}, {}, current))).rejects.toThrow("fewer than 32 bytes");
  });

  it("that does not exist signs nothing and verifies nothing", async () => {
    const tokens = createTokens(createSigningKeySource(async () => undefined));
    await expect(tokens.sign(claims, day)).rejects.toThrow("fewer than 32 bytes");
    await expect(tokens.verify(signedByHand({}))).rejects.toThrow("fewer than 32 bytes");
  });

  it.each([
    ["that is empty", ""],
    ["that has 31 bytes", short],
  ])("from before a rotation %s verifies nothing", async (_case, previous) => {
    const { tokens } = setup({ current: "x".repeat(32), previous });
    expect(await tokens.verify(signedByHand({}, {}, previous))).toBeUndefined();
    expect(await tokens.verify(await tokens.sign(claims, day))).toMatchObject(claims);
  });

  it("from before a rotation verifies what it signed, and signs nothing more", async () => {
    const { tokens } = setup({ current: "x".repeat(32), previous: "y".repeat(32) });
    expect(await tokens.verify(signedByHand({}, {}, "y".repeat(32)))).toMatchObject(claims);
    const fresh = await tokens.sign(claims, day);
    expect(await setup({ current: "x".repeat(32) }).tokens.verify(fresh)).toMatchObject(claims);
    expect(await setup({ current: "y".repeat(32) }).tokens.verify(fresh)).toBeUndefined();
  });

  it("that has leaked and was replaced twice verifies nothing after five minutes, also what was seen before", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const leaked = "leaked-secret-of-more-than-thirty-two-bytes";
    const { secrets, read, tokens } = setup({ current: leaked });
    const [seen, unseen] = ["seen", "unseen"].map((jti) => signedByHand({ jti }, {}, leaked));
    expect(await tokens.verify(seen ?? "")).toMatchObject({ tokenId: "seen" });
    Object.assign(secrets, { current: "x".repeat(32), previous: "y".repeat(32) });
    vi.advanceTimersByTime(5 * 60_000 - 1);
    expect(await tokens.verify(seen ?? "")).toMatchObject({ tokenId: "seen" });
    expect(read).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1);
    expect(await tokens.verify(seen ?? "")).toBeUndefined();
    expect(await tokens.verify(unseen ?? "")).toBeUndefined();
    expect(await tokens.verify(await tokens.sign(claims, day))).toMatchObject(claims);
  });

  it("that is the same when it is read again forgets nothing that was verified", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { tokens } = setup();
    const token = await tokens.sign(claims, day);
    const first = await tokens.verify(token);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await tokens.verify(token)).toBe(first);
  });

  it("of exactly 32 bytes is long enough, counted in bytes", async () => {
    const { tokens } = setup({ current: "é".repeat(16) });
    expect(await tokens.verify(await tokens.sign(claims, day))).toMatchObject(claims);
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
