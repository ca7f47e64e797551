import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { operations } from "../../functions/manifest.ts";
import { type Operation, verifiesTokens } from "../../shared/http/operation.ts";
import {
  call,
  createAccount,
  expectError,
  expectErrorOf,
  gatewayChallenge,
  type JsonResponse,
  logIn,
  outcomeOf,
  type TestAccount,
} from "../support/client.ts";

const withToken = operations.filter(({ auth }) => auth === "user");
const pathOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, "lug");

const send = ({ method, ...operation }: Operation, headers: Record<string, string>): Promise<JsonResponse> =>
  call(pathOf({ method, ...operation }), { method, headers });

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe.each(withToken)("$method $path", (operation) => {
  it.each([
    ["no token", {}],
    ["an empty token", bearer("")],
    ["nonsense", bearer("nonsense")],
    ["three parts of nonsense", bearer("bm9uc2Vuc2U.bm9uc2Vuc2U.bm9uc2Vuc2U")],
    ["another scheme", { Authorization: "Basic YW1pbmE6c2V2ZW4=" }],
    ["a token in a cookie only", { Cookie: "access_token=abc; Authorization=Bearer%20abc" }],
  ])("refuses %s", async (_case, headers) => {
    const response = await send(operation, headers);
    expectErrorOf(operation, response, "unauthenticated");
    // API Gateway renames the header of a function; only its own responses keep the name.
    const [header, challenge] = verifiesTokens(operation)
      ? ["x-amzn-remapped-www-authenticate", "Bearer"]
      : ["www-authenticate", gatewayChallenge];
    expect(response.headers.get(header)).toEqual(response.status === 401 ? challenge : null);
    expect(response.headers.has("deprecation")).toBe(operation.deprecated !== undefined);
  });
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

  it.each(withToken)("does not open $method $path", async (operation) => {
    expectErrorOf(operation, await send(operation, bearer(rotated)), "unauthenticated");
    expectErrorOf(operation, await send(operation, bearer(ended)), "unauthenticated");
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
    const other = await createAccount();
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

describe.runIf(inject("isLocal"))("the secret of a mailed link", () => {
  const linkTo = async (email: string, subject: RegExp): Promise<string> => {
    const { body } = await call("/_local/mail");
    const mails: { to: string[]; subject: string; text: string }[] = body;
    const mail = mails.filter(({ to, subject: about }) => to.includes(email) && subject.test(about)).at(-1);
    return new URL(/http\S+/.exec(mail?.text ?? "")?.[0] ?? "").searchParams.get("token") ?? "";
  };

  it("is no access token", async () => {
    const { email } = await createAccount();
    expectError(await call("/auth/me", { token: await linkTo(email, /verify/i) }), 401, "unauthenticated");
  });

  it("is no password-reset secret and no verification secret at once", async () => {
    const { email } = await createAccount();
    await call("/auth/forgot-password", { body: { email } });
    const reset = await linkTo(email, /password/i);
    expectError(await call("/auth/verify-email", { body: { token: reset } }), 400, "invalid_link");
  });

  it("works once, however many use it at the same moment", async () => {
    const account = await createAccount();
    await call("/auth/forgot-password", { body: { email: account.email } });
    const token = await linkTo(account.email, /password/i);
    const passwords = [1, 2, 3].map((number) => `nine cranes over hill ${number}`);
    const resets = await Promise.all(
      passwords.map((new_password) => call("/auth/reset-password", { body: { token, new_password } })),
    );
    expect(resets.map(outcomeOf).sort()).toEqual(["200 done", "400 invalid_link", "400 invalid_link"]);
    const winner = passwords[resets.findIndex(({ status }) => status === 200)];
    expect(await logIn(account.username, winner ?? "")).toMatchObject({ status: 200 });
  });
});
