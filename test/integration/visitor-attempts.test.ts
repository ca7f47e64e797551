import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { attemptNames } from "../../functions/console/playground/attempts.ts";
import {
  createVisitorAttempts,
  relayVisitorAttempt,
  type VisitorRequest,
} from "../../functions/console/playground/visitors.ts";
import { createSigningKeySource, createTokens } from "../../shared/accounts/access/tokens.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { registerRequest } from "../../shared/accounts/sign-in/fields.ts";
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

const ask = async (changes: Partial<VisitorRequest> = {}, now = noon) => {
  const response = await relayVisitorAttempt(
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

  it.each(attemptNames)("of %s goes where the page says that it goes", async (name) => {
    received.length = 0;
    await ask({ name, sourceAddress: `203.0.113.${100 + attemptNames.indexOf(name)}` });
    expect(received).toHaveLength(1);
    expect(received[0]?.path.startsWith("/stream")).toBe(name === "chat");
  });

  it("is given three times a day, however many ask at once, and again the next day", async () => {
    received.length = 0;
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => outcome({})));
    expect(outcomes.filter((one) => one === '200 {"language":"lug"}')).toHaveLength(3);
    expect(outcomes.filter((one) => one === "quota_exceeded")).toHaveLength(9);
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

  it("that the API refuses does not count against the visitor", async () => {
    status = 503;
    const sourceAddress = "203.0.113.9";
    for (let count = 0; count < 5; count += 1) expect(await outcome({ sourceAddress })).toContain("503");
    status = 200;
    expect(await outcome({ sourceAddress })).toContain("200");
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
