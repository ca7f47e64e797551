import { beforeAll, describe, expect, inject, it } from "vitest";
import { createKeyOperation, listKeysOperation } from "../../functions/auth/keys-contract.ts";
import { operations } from "../../functions/manifest.ts";
import { scopes } from "../../shared/accounts/access/api-keys.ts";
import type { Operation } from "../../shared/http/operation.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  logIn,
  outcomeOf,
  sharedAccount,
  type TestAccount,
} from "../support/client.ts";

const makeKey = async (token: string, choices: object = {}) => {
  const response = await call("/auth/keys", { token, body: { name: "a program", ...choices } });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  expectDeclared(createKeyOperation, response);
  const { id, key }: { readonly id: string; readonly key: string } = response.body;
  return { id, key, response };
};
const keysOf = async (token: string) => {
  const response = await call("/auth/keys", { token });
  expectDeclared(listKeysOperation, response);
  return response.body.keys;
};
const translate = (token: string) =>
  call("/tasks/translate", {
    token,
    body: { source_language: "eng", target_language: "lug", text: "water" },
  });
const identify = (token: string) =>
  call("/tasks/language_id", { token, body: { text: "Webale nnyo ssebo" } });
const voices = (token: string) => call("/tasks/voice/speakers", { token });
const me = (token: string) => call("/auth/me", { token });

let owner: TestAccount;
beforeAll(async () => {
  owner = await sharedAccount();
});

describe("A new key", () => {
  it("is shown once, with what it may do, and is in no list", async () => {
    const { response, key, id } = await makeKey(owner.token, {
      name: "  kiosk  ",
      scopes: ["speech", "language", "speech"],
      expires_at: "2099-01-01T00:00:00+03:00",
      monthly_limit: 3,
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(key).toMatch(/^lai_[0-9A-Za-z]{40,}$/);
    expect(response.body).toMatchObject({
      name: "kiosk",
      scopes: ["language", "speech"],
      expires_at: "2098-12-31T21:00:00.000Z",
      monthly_limit: 3,
      prefix: key.slice(0, 12),
    });
    const { key: _key, ...known } = response.body;
    const listed = { ...known, last_used_at: null, used_this_month: 0 };
    expect(await keysOf(owner.token)).toContainEqual(listed);
    expect(JSON.stringify(await keysOf(owner.token))).not.toContain(key.slice(0, 20));
    expect(await call(`/auth/keys/${id}`, { method: "DELETE", token: owner.token })).toMatchObject({
      status: 204,
    });
    expect(await keysOf(owner.token)).not.toContainEqual(listed);
  });

  it("without scopes may do all of it, until it is revoked", async () => {
    const { response, key } = await makeKey(owner.token, {
      scopes: null,
      expires_at: null,
      monthly_limit: null,
    });
    expect(response.body).toMatchObject({ scopes, expires_at: null, monthly_limit: null });
    expect(await identify(key)).toMatchObject({ status: 200 });
    expect(await translate(key)).toMatchObject({ status: 200 });
    expect(await voices(key)).toMatchObject({ status: 200 });
  });

  it.each([
    ["no name", { name: undefined }, "name"],
    ["an empty name", { name: " " }, "name"],
    ["a name of 65 characters", { name: "x".repeat(65) }, "name"],
    ["a scope that there is none of", { scopes: ["everything"] }, "scopes[0]"],
    ["an empty list of scopes, which could mean all or nothing", { scopes: [] }, "scopes"],
    ["an expiry in the past", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    ["an end that is no time", { expires_at: "tomorrow" }, "expires_at"],
    ["no task a month", { monthly_limit: 0 }, "monthly_limit"],
    ["half a task", { monthly_limit: 1.5 }, "monthly_limit"],
  ])("is refused with %s", async (_case, choices, field) => {
    const { token } = owner;
    const response = await call("/auth/keys", { token, body: { name: "x", ...choices } });
    expect(response).toMatchObject({ status: 422, body: { error: { code: "validation_failed" } } });
    expect(response.body.detail).toMatchObject([
      { loc: expect.arrayContaining(["body", field.replace("[0]", "")]) },
    ]);
    expect(response.body.error.param).toBe(field);
  });

  it("is the account's own: two accounts give their keys one name, and see nothing of each other's", async () => {
    const [one, other] = await Promise.all([createAccount(), createAccount()]);
    const [first, second] = await Promise.all([
      makeKey(one.token, { name: "prod" }),
      makeKey(other.token, { name: "prod" }),
    ]);
    expect((await me(first.key)).body.id).toBe(one.id);
    expect((await me(second.key)).body.id).toBe(other.id);
    expect(await keysOf(one.token)).toMatchObject([{ id: first.id, name: "prod" }]);
    expectError(
      await call(`/auth/keys/${second.id}`, { method: "DELETE", token: one.token }),
      404,
      "not_found",
    );
    expect(await call("/auth/keys", { method: "DELETE", token: one.token })).toMatchObject({ status: 204 });
    expectError(await me(first.key), 401, "unauthenticated");
    expect(await me(second.key)).toMatchObject({ status: 200 });
  });

  it("may have the name of another of its account", async () => {
    const { token } = await createAccount();
    await makeKey(token, { name: "prod" });
    await makeKey(token, { name: "prod" });
    expect(await keysOf(token)).toHaveLength(2);
  });
});

describe("A key", () => {
  it("with a limit a minute is refused beyond it, and its account is not", async () => {
    const { token } = await createAccount();
    const { response, key } = await makeKey(token, { requests_per_minute: 3 });
    expect(response.body).toMatchObject({ requests_per_minute: 3, monthly_limit: null });
    const responses = await Promise.all(Array.from({ length: 8 }, () => identify(key)));
    const admitted = responses.filter(({ status }) => status === 200);
    // They may have been sent in two minutes.
    expect(admitted.length).toBeLessThanOrEqual(6);
    expect(admitted.length).toBeGreaterThanOrEqual(3);
    const [refused] = responses.filter(({ status }) => status !== 200);
    if (!refused) throw new Error("No request was refused.");
    expectError(refused, 429, "rate_limited");
    expect(refused.body.detail).toContain("its owner has set it to 3 per 1 minute");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await identify(token)).status).toBe(200);
  });

  it("with one scope opens nothing else", async () => {
    const { key } = await makeKey(owner.token, { scopes: ["language"] });
    expect(await identify(key)).toMatchObject({ status: 200 });
    const refused = await translate(key);
    expectError(refused, 403, "insufficient_scope");
    expect(refused.body).toMatchObject({
      detail: "This key does not have the scope 'translate'.",
      error: { type: "permission_error" },
    });
    expectError(await voices(key), 403, "insufficient_scope");
  });

  it("sees its account, and nothing else about it is for keys", async () => {
    const { key } = await makeKey(owner.token);
    expect(await me(key)).toMatchObject({ status: 200, body: { id: owner.id } });
    const ofAccounts = operations.filter(
      ({ path, auth, scope }: Operation) =>
        path.startsWith("/auth/") && auth === "user" && scope === undefined,
    );
    expect(ofAccounts.length).toBeGreaterThan(7);
    for (const { method, path } of ofAccounts) {
      const response = await call(path.replace("{id}", "k3f0a2c1e9b7d"), { method, token: key });
      expectError(response, 403, "insufficient_scope");
    }
    const { password } = owner;
    const deletion = await call("/auth/me", { method: "DELETE", token: key, body: { password } });
    expectError(deletion, 403, "insufficient_scope");
    expect(await me(owner.token)).toMatchObject({ status: 200 });
  });

  it("opens the deprecated routes of its scopes, and no others", async () => {
    const { key } = await makeKey(owner.token, { scopes: ["chat"] });
    const response = await call("/tasks/summarise", { token: key, body: { text: "Water is life." } });
    expect(response).toMatchObject({ status: 200 });
    expect(response.headers.has("deprecation")).toBe(true);
    expectError(await call("/tasks/modal/tts/speakers", { token: key }), 403, "insufficient_scope");
  });

  it("opens chat at the function URL as well, with that scope", async () => {
    const url = `${inject("chatStreamUrl")}/tasks/chat/completions`;
    const body = { messages: [{ role: "user", content: "Webale" }] };
    const [chat, speech] = await Promise.all([
      makeKey(owner.token, { scopes: ["chat"] }),
      makeKey(owner.token, { scopes: ["speech"] }),
    ]);
    expect(await call(url, { token: chat.key, body })).toMatchObject({ status: 200 });
    expectError(await call(url, { token: speech.key, body }), 403, "insufficient_scope");
    await call(`/auth/keys/${chat.id}`, { method: "DELETE", token: owner.token });
    expectError(await call(url, { token: chat.key, body }), 401, "unauthenticated");
  });

  it("creates uploads for its account, with that scope", async () => {
    const body = { content_type: "audio/wav", file_name: "a.wav" };
    const [upload, chat] = await Promise.all([
      makeKey(owner.token, { scopes: ["upload"] }),
      makeKey(owner.token, { scopes: ["chat"] }),
    ]);
    expect(await call("/tasks/generate-upload-url", { token: upload.key, body })).toMatchObject({
      status: 200,
    });
    expectError(
      await call("/tasks/generate-upload-url", { token: chat.key, body }),
      403,
      "insufficient_scope",
    );
  });

  it("is refused with its next request once it is revoked", async () => {
    const { key, id } = await makeKey(owner.token);
    expect(await identify(key)).toMatchObject({ status: 200 });
    expect(await call(`/auth/keys/${id}`, { method: "DELETE", token: owner.token })).toMatchObject({
      status: 204,
      body: "",
    });
    expectError(await identify(key), 401, "unauthenticated");
    expectError(await call("/auth/usage", { token: key }), 401, "unauthenticated");
    expectError(await call(`/auth/keys/${id}`, { method: "DELETE", token: owner.token }), 404, "not_found");
  });

  it("is refused once it has expired", async () => {
    const soon = new Date(Date.now() + 2_000).toISOString();
    const { key } = await makeKey(owner.token, { expires_at: soon });
    await expect.poll(async () => outcomeOf(await me(key)), { timeout: 10_000 }).toBe("401 unauthenticated");
  });

  it("stops at its own limit, while its account and other keys continue", async () => {
    const { token } = await createAccount();
    const [limited, other] = await Promise.all([makeKey(token, { monthly_limit: 2 }), makeKey(token)]);
    expect(await identify(limited.key)).toMatchObject({ status: 200 });
    // What is refused for its form costs nothing.
    expect(await call("/tasks/language_id", { token: limited.key, body: {} })).toMatchObject({ status: 422 });
    expect(await identify(limited.key)).toMatchObject({ status: 200 });
    const refused = await identify(limited.key);
    expectError(refused, 429, "quota_exceeded");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.body.detail).toBe(
      "Monthly limit of this key exceeded; its owner has set it to 2 a month.",
    );
    expect(await identify(other.key)).toMatchObject({ status: 200 });
    expect(await identify(token)).toMatchObject({ status: 200 });
    const listed: { readonly id: string; readonly used_this_month: number; readonly last_used_at: string }[] =
      await keysOf(token);
    expect(new Map(listed.map((key) => [key.id, key.used_this_month]))).toEqual(
      new Map([
        [limited.id, 2],
        [other.id, 1],
      ]),
    );
    for (const used of listed) expect(Date.parse(used.last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("outlives a change of the password, and all go at one request", async () => {
    const account = await createAccount();
    const [one, other] = await Promise.all([makeKey(account.token), makeKey(account.token)]);
    const change = { old_password: account.password, new_password: "nine cranes over the hill" };
    expect(await call("/auth/change-password", { token: account.token, body: change })).toMatchObject({
      status: 200,
    });
    expectError(await me(account.token), 401, "unauthenticated");
    expect(await me(one.key)).toMatchObject({ status: 200 });
    const { body } = await logIn(account.username, change.new_password);
    expect(await call("/auth/keys", { method: "DELETE", token: body.access_token })).toMatchObject({
      status: 204,
    });
    expectError(await me(one.key), 401, "unauthenticated");
    expectError(await me(other.key), 401, "unauthenticated");
    expect(await keysOf(body.access_token)).toEqual([]);
  });

  it("goes with its account", async () => {
    const { token, password } = await createAccount();
    const { key } = await makeKey(token);
    expect(await call("/auth/me", { method: "DELETE", token, body: { password } })).toMatchObject({
      status: 204,
    });
    expectError(await me(key), 401, "unauthenticated");
  });

  it("is one of twenty at most", async () => {
    const { token } = await createAccount();
    for (let count = 0; count < 19; count += 1) await makeKey(token);
    const last = await Promise.all(
      Array.from({ length: 5 }, () => call("/auth/keys", { token, body: { name: "one more" } })),
    );
    expect(last.map(outcomeOf).toSorted()).toEqual(["201 done", ...Array(4).fill("400 too_many_keys")]);
    const [{ id }] = await keysOf(token);
    await call(`/auth/keys/${id}`, { method: "DELETE", token });
    await makeKey(token);
    expect(await keysOf(token)).toHaveLength(20);
  });
});

describe("What only looks like a key", () => {
  it.each(["lai_", "lai_nonsense", `lai_${"a".repeat(33)}1000000`])("is refused: %s", async (token) => {
    expectError(await identify(token), 401, "unauthenticated");
    expectError(await call("/tasks/summarise", { token, body: { text: "Water." } }), 401, "unauthenticated");
  });

  it("is refused when it is a key of which one character is wrong, with the same words as a revoked one", async () => {
    const { key, id } = await makeKey(owner.token);
    const wrong = `${key.slice(0, 10)}${key[10] === "x" ? "y" : "x"}${key.slice(11)}`;
    const mistyped = await identify(wrong);
    await call(`/auth/keys/${id}`, { method: "DELETE", token: owner.token });
    const revoked = await identify(key);
    expect([mistyped.status, mistyped.body.detail]).toEqual([revoked.status, revoked.body.detail]);
  });
});
