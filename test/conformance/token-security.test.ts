import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../functions/manifest.ts";
import { type Operation, verifiesTokens } from "../../shared/http/operation.ts";
import { dialectOf } from "../../shared/platform/errors/error-body.ts";
import {
  call,
  createAccount,
  expectError,
  expectErrorOf,
  type JsonResponse,
  sharedAccount,
  type TestAccount,
} from "../support/client.ts";

const withToken = operations.filter(({ auth }) => auth === "user");

/** The first of each kind: tokens are checked by the authorizer or by the function, and errors have the forms of several APIs. */
const kinds = [
  ...Map.groupBy(
    withToken,
    (operation) => `${verifiesTokens(operation)} ${dialectOf(operation.path)}`,
  ).values(),
].flatMap(([first]) => first ?? []);

const send = ({ method, path }: Operation, headers: Record<string, string>): Promise<JsonResponse> =>
  call(path.replaceAll(/\{\w+\}/g, "lug"), { method, headers });

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const refuse = async (operation: Operation, headers: Record<string, string>): Promise<void> => {
  const response = await send(operation, headers);
  expectErrorOf(operation, response, "unauthenticated");
  // API Gateway renames the header of a function; only its own responses keep the name.
  const [header, challenge] = verifiesTokens(operation)
    ? ["x-amzn-remapped-www-authenticate", "Bearer"]
    : ["www-authenticate", "Bearer"];
  expect(response.headers.get(header)).toEqual(response.status === 401 ? challenge : null);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.has("deprecation")).toBe(operation.deprecated !== undefined);
};

describe("an operation that requires a token", () => {
  it.each(withToken)("refuses none, and nonsense: $method $path", async (operation) => {
    await refuse(operation, {});
    await refuse(operation, bearer("bm9uc2Vuc2U.bm9uc2Vuc2U.bm9uc2Vuc2U"));
  });
});

describe.each(kinds)("$method $path", (operation) => {
  it.each([
    ["an empty token", bearer("")],
    ["nonsense", bearer("nonsense")],
    ["another scheme", { Authorization: "Basic YW1pbmE6c2V2ZW4=" }],
    ["a token in a cookie only", { Cookie: "access_token=abc; Authorization=Bearer%20abc" }],
  ])("refuses %s", (_case, headers) => refuse(operation, headers));
});

describe("a token that was revoked", () => {
  let rotated: string;
  let ended: string;
  beforeAll(async () => {
    const one = await createAccount();
    await call("/auth/refresh-token", { method: "POST", token: one.token });
    rotated = one.token;
    const other = await createAccount();
    const body = { old_password: other.password, new_password: "nine cranes over the hill" };
    expect(await call("/auth/change-password", { token: other.token, body })).toMatchObject({ status: 200 });
    ended = other.token;
  });

  it.each(kinds)("does not open $method $path", async (operation) => {
    for (const token of [rotated, ended])
      expectErrorOf(operation, await send(operation, bearer(token)), "unauthenticated");
  });
});

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString());

const hmac = (input: string, secret: string): string =>
  createHmac("sha256", secret).update(input).digest("base64url");

const forge = (header: object, claims: object, makeSignature: (input: string) => string): string => {
  const input = `${base64url(header)}.${base64url(claims)}`;
  return `${input}.${makeSignature(input)}`;
};

describe("a forged or changed token", () => {
  let mine: TestAccount;
  let header: Record<string, unknown>;
  let claims: Record<string, unknown>;
  let signature: string;
  beforeAll(async () => {
    mine = await createAccount();
    const [first, second, third] = mine.token.split(".");
    [header, claims, signature] = [decode(first), decode(second), third ?? ""];
  });

  const refused = async (token: string): Promise<void> => {
    expectError(await call("/auth/me", { token }), 401, "unauthenticated");
    // Where the function itself checks the token, there is no authorizer.
    expectError(await call("/tasks/modal/orpheus/speakers", { token }), 401, "unauthenticated");
  };

  it("is accepted as it was issued, so that what follows is refused for its changes", async () => {
    expect(await call("/auth/me", { token: mine.token })).toMatchObject({ status: 200 });
  });

  it.each(["none", "None", "nOnE", "NONE", ""])("is refused with the algorithm %j", async (alg) => {
    await refused(forge({ ...header, alg }, claims, () => ""));
    await refused(forge({ ...header, alg }, claims, () => signature));
  });

  it.each(["", "secret", "language-ai-service", "undefined", "null"])(
    "is refused when signed with %j",
    async (secret) => {
      await refused(forge(header, claims, (input) => (secret ? hmac(input, secret) : "")));
    },
  );

  it("is refused when it brings its own key, or says where one is", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwk = publicKey.export({ format: "jwk" });
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
    const bySelf = (input: string) => sign("sha256", Buffer.from(input), privateKey).toString("base64url");
    await refused(forge({ ...header, alg: "RS256", jwk }, claims, bySelf));
    await refused(
      forge({ ...header, alg: "RS256", kid: "1", jku: "https://attacker.example/keys" }, claims, bySelf),
    );
    await refused(forge({ ...header, alg: "RS256", x5u: "https://attacker.example/cert" }, claims, bySelf));
    await refused(
      forge({ ...header, alg: "HS256", kid: "../../../dev/null" }, claims, (input) => hmac(input, "\0")),
    );
    await refused(forge({ ...header, jwk }, claims, (input) => hmac(input, pem)));
    await refused(forge({ ...header, jwk: { kty: "oct", k: "YQ" } }, claims, (input) => hmac(input, "a")));
    await refused(forge({ ...header, crit: ["exp"] }, claims, () => signature));
  });

  it("is refused with any bit of its signature changed", async () => {
    const bytes = Buffer.from(signature, "base64url");
    const [first, second] = mine.token.split(".");
    const positions = Array.from({ length: 16 }, (_, position) => position * 16 + (position % 8));
    for (const position of positions) {
      const changed = Buffer.from(bytes);
      changed[position >> 3] = (changed[position >> 3] ?? 0) ^ (1 << (position & 7));
      await refused(`${first}.${second}.${changed.toString("base64url")}`);
    }
  });

  it("is refused without its signature, cut short, or with something after it", async () => {
    const [first, second] = mine.token.split(".");
    await refused(`${first}.${second}.`);
    await refused(`${first}.${second}`);
    await refused(mine.token.slice(0, -1));
    await refused(`${mine.token}.${signature}`);
    await refused(`${mine.token}, Bearer ${mine.token}`);
    await refused(`${mine.token}\u00a0`);
  });

  it("is refused with the claims of another account under its signature", async () => {
    const other = await sharedAccount();
    for (const changes of [
      { sub: String(other.id) },
      { sub: "1" },
      { exp: 4_102_444_800 },
      { exp: undefined },
      { jti: randomUUID() },
      { aud: "*" },
    ]) {
      await refused(forge(header, { ...claims, ...changes }, () => signature));
    }
    const [, theirs] = other.token.split(".");
    await refused(`${base64url(header)}.${theirs}.${signature}`);
  });

  it("counts only in the Authorization header", async () => {
    expectError(
      await call(`/auth/me?access_token=${mine.token}&token=${mine.token}`),
      401,
      "unauthenticated",
    );
    expectError(
      await call("/auth/me", { headers: { Cookie: `token=${mine.token}` } }),
      401,
      "unauthenticated",
    );
    expectError(await call("/auth/me", { headers: { "X-Api-Key": mine.token } }), 401, "unauthenticated");
    const body = new URLSearchParams({ access_token: mine.token });
    expectError(await call("/auth/refresh-token", { body }), 401, "unauthenticated");
  });
});
