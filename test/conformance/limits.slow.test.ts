import { beforeAll, describe, expect, it } from "vitest";
import { usageOperation } from "../../functions/auth/account-contract.ts";
import { usage } from "../../shared/accounts/usage/usage.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
  logIn,
} from "../support/client.ts";

const headersOf = ({ headers }: JsonResponse) =>
  Object.fromEntries(
    [
      "ratelimit-policy",
      "ratelimit",
      "x-ratelimit-limit-requests",
      "x-ratelimit-remaining-requests",
      "x-ratelimit-reset-requests",
    ].map((name) => [name, headers.get(name)]),
  );

describe("a free account", () => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await createAccount());
  });

  it("may send 50 requests in a minute, over all routes; then it learns when to continue", async () => {
    // Two rounds: a minute may end during the first.
    let refused: JsonResponse | undefined;
    let passed = 0;
    for (let sent = 0; sent < 101 && !refused; sent += 1) {
      const path = sent % 2 === 0 ? "/auth/me" : "/auth/profile/status";
      const response = await call(path, { token });
      if (response.status === 429) refused = response;
      else passed += 1;
    }
    if (!refused) throw new Error("The limit was never reached.");
    expect(passed).toBeGreaterThanOrEqual(50);
    expectError(refused, 429, "rate_limited");
    expect(refused.body.detail).toBe("Rate limit exceeded: 50 per 1 minute");
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(headersOf(refused)).toMatchObject({
      ratelimit: `"minute";r=0;t=${seconds}`,
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": `${seconds}s`,
    });
  });
});

describe("GET /auth/usage", () => {
  it("shows what was used, by day and operation; refused requests and those about the account are not in it", async () => {
    const { token } = await createAccount();
    const before = await call("/auth/usage", { token });
    expectDeclared(usageOperation, before);
    expect(before.body).toMatchObject({
      account_type: "Free",
      per_minute_limit: 50,
      today: { used: 0, limit: 500, remaining: 500 },
      this_month: { used: 0, limit: 5_000, remaining: 5_000 },
    });

    const identify = (text: unknown) => call("/tasks/language_id", { token, body: { text } });
    await identify("Apwoyo, itye nining?");
    await identify("Good morning, how are you?");
    expect(await identify("x")).toMatchObject({ status: 422 });
    // Refused for its content, before a model is called: that costs no quota either.
    const unsupported = await call("/tasks/translate", {
      token,
      body: { target_language: "fra", text: "Hello" },
    });
    expectError(unsupported, 400, "unsupported_language");

    // A day can begin while this test runs: what was used is on the last two, all days have the same total.
    const { today, this_month: month, days } = usage.parse((await call("/auth/usage", { token })).body);
    const totalOf = (some: typeof days) => some.reduce((sum, { total }) => sum + total, 0);
    expect(days.at(-1)).toMatchObject({ date: today.date, total: today.used });
    expect([totalOf(days.slice(0, -2)), totalOf(days.slice(-2))]).toEqual([0, 2]);
    const byOperation = days.flatMap(({ by_operation }) => Object.entries(by_operation));
    expect(new Set(byOperation.map(([operation]) => operation))).toEqual(new Set(["identifyLanguage"]));
    expect(byOperation.reduce((sum, [, count]) => sum + count, 0)).toBe(2);
    expect(today).toMatchObject({ limit: 500, remaining: 500 - today.used });
    expect(month).toMatchObject({
      used: totalOf(days.filter(({ date }) => date.startsWith(month.month))),
      limit: 5_000,
      remaining: 5_000 - month.used,
    });
  });

  it("shows the usage of each path: characters, tokens, seconds of audio, errors; as CSV on request", async () => {
    const { token } = await createAccount();
    const send = (path: string, body: unknown) => call(path, { token, body });
    const text = "How are you?";
    const messages = [{ role: "user", content: text }];
    const translated = { source_language: "eng", target_language: "lug", text };
    expect(await send("/tasks/translate", translated)).toMatchObject({ status: 200 });
    expect(await send("/tasks/translate", translated)).toMatchObject({ status: 200 });
    expect(await send("/tasks/translate", { ...translated, target_language: "fra" })).toMatchObject({
      status: 400,
    });
    expect(await send("/tasks/language_id", { text })).toMatchObject({ status: 200 });
    const chat = await send("/tasks/chat/completions", { messages });
    const speech = await send("/tasks/audio/speech", { text });
    expect([chat.status, speech.status]).toEqual([200, 200]);
    const { prompt_tokens: prompt, completion_tokens: completion } = chat.body.usage;

    // A day can begin while this test runs, and what a busy account has used is counted within seconds.
    const operations = async () => {
      const { days } = usage.parse((await call("/auth/usage", { token })).body);
      return days.slice(-2).flatMap((day) => day.operations);
    };
    const none = {
      key: null,
      method: "POST",
      errors: 0,
      characters: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      tokens: 0,
      audio_seconds: 0,
    };
    const { length: characters } = text;
    await expect.poll(operations, { timeout: 15_000, interval: 500 }).toEqual([
      {
        ...none,
        path: "/tasks/audio/speech",
        requests: 1,
        characters,
        audio_seconds: speech.body.duration_seconds,
      },
      {
        ...none,
        path: "/tasks/chat/completions",
        requests: 1,
        prompt_tokens: prompt,
        completion_tokens: completion,
        tokens: prompt + completion,
      },
      { ...none, path: "/tasks/language_id", requests: 1, characters },
      { ...none, path: "/tasks/translate", requests: 2, characters: 2 * characters, errors: 1 },
    ]);

    const table = await call("/auth/usage?format=csv", { token });
    expect(table.status).toBe(200);
    expect(table.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [header, ...lines] = String(table.body).trim().split("\r\n");
    expect(header).toBe(
      "date,method,path,key,requests,errors,characters,prompt_tokens,completion_tokens,tokens,audio_seconds",
    );
    expect(lines.map((line) => line.split(",")[2])).toEqual((await operations()).map(({ path }) => path));
  });

  it("is of any range of at most 92 days", async () => {
    const { token } = await createAccount();
    const shown = await call("/auth/usage?from=2026-01-01&to=2026-01-31", { token });
    expectDeclared(usageOperation, shown);
    const { from, to, days } = usage.parse(shown.body);
    expect([from, to, days.length]).toEqual(["2026-01-01", "2026-01-31", 31]);
    for (const query of [
      "from=2026-01-01&to=2026-06-01",
      "from=2026-02-01&to=2026-01-01",
      "from=yesterday",
      "format=xml",
    ]) {
      expect((await call(`/auth/usage?${query}`, { token })).status, query).toBe(422);
    }
  });
});

describe("guessing a password", () => {
  it("has to wait after five wrong ones, also for an unknown name", async () => {
    const name = `nobody-${crypto.randomUUID()}`;
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await logIn(name, "not the password")).toMatchObject({ status: 401 });
    }
    const response = await logIn(name, "not the password");
    expect(response).toMatchObject({ status: 429, body: { error: "temporarily_unavailable" } });
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(response.body.detail).toMatch(
      /^Too many wrong passwords for this account name; try again in \d+ seconds\.$/,
    );
  });
});
