import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { attemptNames } from "../../functions/console/playground/attempts.ts";
import { createVisitorAttempts } from "../../functions/console/playground/visitor-attempts.ts";
import { relayVisitorAttempt, type VisitorRequest } from "../../functions/console/playground/visitors.ts";
import { operations } from "../../functions/manifest.ts";
import { createSigningKeySource, createTokens } from "../../shared/accounts/access/tokens.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { registerRequest } from "../../shared/accounts/sign-in/registration.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");
const tokens = createTokens(createSigningKeySource(async () => "a-secret-of-more-than-thirty-two-bytes"));
const received: { path: string; authorization: string; type: string; body: Buffer }[] = [];
let status = 200;

const api = createServer((request, response) => {
  void buffer(request).then((body) => {
    const { authorization = "", "content-type": type = "" } = request.headers;
    received.push({ path: request.url ?? "", authorization, type, body });
    response.writeHead(status, { "Content-Type": "application/json" }).end('{"language":"lug"}');
  });
});

let table: TestTable;
let address: string;
beforeAll(async () => {
  table = await startTestTable();
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  address = `http://127.0.0.1:${z.object({ port: z.int() }).parse(api.address()).port}`;
});
afterAll(async () => {
  api.close();
  await table.close();
});

const attemptsAt = (now = noon) => {
  const attempts = createVisitorAttempts(table.openForRequests(), 3, () => now);
  return { take: (sourceAddress: string) => attempts.take(sourceAddress, AbortSignal.timeout(20_000)) };
};
const relay = (changes: Partial<VisitorRequest> = {}, now = noon) =>
  relayVisitorAttempt(
    {
      name: "identify",
      contentType: "application/json",
      body: Buffer.from('{"text":"Oli otya?"}'),
      sourceAddress: "203.0.113.7",
      signal: AbortSignal.timeout(20_000),
      ...changes,
    },
    {
      attempts: createVisitorAttempts(table.openForRequests(), 3, () => now),
      accounts: createAccountsRepository(table.open()),
      tokens,
      addresses: { api: address, stream: `${address}/stream` },
    },
  );
const ask = async (changes: Partial<VisitorRequest> = {}, now = noon) => {
  const response = await relay(changes, now);
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return { ...response, body: Buffer.concat(pieces).toString() };
};
const outcome = (changes: Partial<VisitorRequest>, now?: number): Promise<string> =>
  ask(changes, now).then(
    (response) => `${response.status} ${response.body}`,
    (error: { code?: string }) => String(error.code),
  );

describe("An attempt without an account", () => {
  it("is sent to the API unchanged, with a token for that task and for a minute", async () => {
    received.length = 0;
    expect(await ask({ sourceAddress: "203.0.113.1" })).toMatchObject({
      status: 200,
      contentType: "application/json",
      body: '{"language":"lug"}',
    });
    const [sent] = received;
    expect(sent).toMatchObject({ path: "/tasks/classify_language", type: "application/json" });
    expect(sent?.body.toString()).toBe('{"text":"Oli otya?"}');
    const claims = await tokens.verify(sent?.authorization.replace("Bearer ", "") ?? "");
    expect(claims).toMatchObject({ scopes: ["language"] });
    expect((claims?.tokenExpiresAt ?? 0) - Date.now() / 1_000).toBeLessThanOrEqual(60);
  });

  it.each(attemptNames)(
    "of %s goes where the page says that it goes, with the scope for that",
    async (name) => {
      received.length = 0;
      await ask({ name, sourceAddress: `203.0.113.${100 + attemptNames.indexOf(name)}` });
      expect(received).toHaveLength(1);
      const { path = "", authorization = "" } = received[0] ?? {};
      expect(path.startsWith("/stream")).toBe(name === "chat");
      const claims = await tokens.verify(authorization.replace("Bearer ", ""));
      const task = operations.find((operation) => operation.path === path.replace("/stream", ""));
      expect(claims?.scopes).toEqual([task?.scope]);
    },
  );

  it("is given three times a day, however many ask at once, and again the next day", async () => {
    received.length = 0;
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => outcome({})));
    const admitted = outcomes.filter((one) => one === '200 {"language":"lug"}').length;
    expect(admitted).toBeGreaterThanOrEqual(2);
    for (let count = admitted; count < 3; count += 1) expect(await outcome({})).toContain("200");
    expect(await outcome({})).toBe("quota_exceeded");
    expect(received).toHaveLength(3);
    expect(await outcome({}, noon + 12 * 3_600_000)).toBe('200 {"language":"lug"}');
  });

  it("says in its refusal when there are tries again, and what to do", async () => {
    const sourceAddress = "203.0.113.8";
    for (let count = 0; count < 3; count += 1) await ask({ sourceAddress });
    await expect(ask({ sourceAddress })).rejects.toMatchObject({
      status: 429,
      message: "You have used your 3 requests for today. Sign up to continue, it is free.",
      retryAfterSeconds: 12 * 3_600,
    });
  });

  it("counts by the network of an address that has many", async () => {
    const inOneNetwork = (last: number) => `2001:db8:0:7::${last}`;
    for (let count = 1; count < 4; count += 1) await ask({ sourceAddress: inOneNetwork(count) });
    expect(await outcome({ sourceAddress: inOneNetwork(9) })).toBe("quota_exceeded");
    expect(await outcome({ sourceAddress: "2001:db8:0:8::1" })).toContain("200");
  });

  it.each([
    [503, "203.0.113.9"],
    [429, "203.0.113.11"],
  ])("that fails with %i is refunded to the day, but not to the minute", async (failure, sourceAddress) => {
    status = failure;
    received.length = 0;
    for (let count = 0; count < 6; count += 1) {
      expect(await outcome({ sourceAddress })).toContain(String(failure));
    }
    expect(await outcome({ sourceAddress })).toBe("rate_limited");
    expect(received).toHaveLength(6);
    status = 200;
    expect(await outcome({ sourceAddress }, noon + 60_000)).toContain("200");
  });

  it("that is wrong counts", async () => {
    status = 422;
    const sourceAddress = "203.0.113.12";
    for (let count = 0; count < 3; count += 1) expect(await outcome({ sourceAddress })).toContain("422");
    expect(await outcome({ sourceAddress })).toBe("quota_exceeded");
    status = 200;
  });

  it("waits for another one from its address once two are in progress", async () => {
    const sourceAddress = "203.0.113.13";
    const table = attemptsAt();
    const [first, second] = [await table.take(sourceAddress), await table.take(sourceAddress)];
    await expect(table.take(sourceAddress)).rejects.toMatchObject({
      code: "rate_limited",
      message: "Two of your requests are in progress. Wait until one has ended.",
    });
    await first.end("counted");
    await first.end("counted");
    const third = await table.take(sourceAddress);
    await Promise.all([second.end("counted"), third.end("counted")]);
    await expect(table.take(sourceAddress)).rejects.toMatchObject({ code: "quota_exceeded" });
  });

  it("does not wait for one whose function was killed for longer than eleven minutes", async () => {
    const sourceAddress = "203.0.113.14";
    await Promise.all([attemptsAt().take(sourceAddress), attemptsAt().take(sourceAddress)]);
    await expect(attemptsAt(noon + 540_000).take(sourceAddress)).rejects.toMatchObject({
      code: "rate_limited",
    });
    await attemptsAt(noon + 660_000).take(sourceAddress);
  });

  it("is in progress until its response has been read or abandoned", async () => {
    const sourceAddress = "203.0.113.15";
    const opened = [await relay({ sourceAddress }), await relay({ sourceAddress })];
    expect(await outcome({ sourceAddress })).toBe("rate_limited");
    for await (const _piece of opened[0]?.body ?? []) break;
    expect(await outcome({ sourceAddress })).toContain("200");
    for await (const _piece of opened[1]?.body ?? []);
  });

  it("shares the limits of its wider network, which has ten times as much", async () => {
    const used: string[] = [];
    for (let subnet = 0; subnet < 11; subnet += 1) {
      for (let count = 0; count < 3; count += 1) {
        used.push(await outcome({ sourceAddress: `2001:db8:77:${subnet.toString(16)}::1` }));
      }
    }
    expect(used.filter((one) => one.startsWith("200"))).toHaveLength(30);
    expect(used.slice(30)).toEqual(["quota_exceeded", "quota_exceeded", "quota_exceeded"]);
  });

  it("is small, and one that is too large costs none", async () => {
    const sourceAddress = "203.0.113.10";
    const body = Buffer.alloc(8_193);
    expect(await outcome({ sourceAddress, body })).toBe("payload_too_large");
    expect(await outcome({ sourceAddress, body, name: "transcribe" })).toContain("200");
    expect(await outcome({ sourceAddress, name: "transcribe", body: Buffer.alloc(524_289) })).toBe(
      "payload_too_large",
    );
  });

  it("runs in the name of one account, which no one can register and no password opens", async () => {
    const accounts = createAccountsRepository(table.open());
    const username = "visitors of the playground";
    const found = await accounts.findWithPassword({ username });
    expect(found).toMatchObject({ account_type: "Free", has_password: false });
    const request = { username, email: `${username}@example.com`, password: "seven storks by the lake" };
    expect(registerRequest.safeParse(request).error?.issues).toEqual(
      expect.arrayContaining([expect.objectContaining({ path: ["username"] })]),
    );
    expect(registerRequest.safeParse({ ...request, username: "visitors", email: username }).success).toBe(
      false,
    );
  });
});
