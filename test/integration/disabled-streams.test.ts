import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { openLocalAccounts } from "../support/local-accounts.ts";
import { type RunningService, runService } from "../support/run-service.ts";

const username = "amina";
const password = "seven storks by the lake";

let folder: string;
let model: Server;
let hasLeft: Promise<unknown>;
let service: RunningService;

/** A model that says a word five times a second and never stops. */
const startModel = async (): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  hasLeft = promise;
  model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
    const timer = setInterval(() => {
      const choices = [{ index: 0, delta: { content: "again " }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`);
    }, 200);
    response.on("close", () => {
      clearInterval(timer);
      resolve("left");
    });
  }).listen(0, "127.0.0.1");
  await once(model, "listening");
  const address = model.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  return `http://127.0.0.1:${address.port}/v1`;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-disabled-streams-"));
  service = await runService({ PORT: "0", DATA_DIR: folder, CHAT_BASE_URL: await startModel() });
}, 120_000);

afterAll(async () => {
  await service.stop();
  model.closeAllConnections();
  model.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, body: object | URLSearchParams, token?: string): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    headers: {
      ...(body instanceof URLSearchParams ? {} : { "Content-Type": "application/json" }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: body instanceof URLSearchParams ? body : JSON.stringify(body),
  });

describe("a stream of an account that is disabled meanwhile", () => {
  it("ends within ten seconds, and so does the work of the model", async () => {
    const registration = { username, email: "amina@example.com", password };
    const registered = await post("/auth/register", registration);
    const { id } = z.object({ id: z.int() }).parse(await registered.json());
    const issued = await post("/auth/token", new URLSearchParams({ username, password }));
    const { access_token: token } = z.object({ access_token: z.string() }).parse(await issued.json());
    const messages = [{ role: "user", content: "Oli otya?" }];
    const stream = await post("/v1/chat/completions", { model: "lang-9b", stream: true, messages }, token);
    expect(stream.status).toBe(200);
    await (await openLocalAccounts(folder)).setDisabled(id, true);
    const disabledAt = performance.now();
    const text = await stream.text();
    expect(performance.now() - disabledAt).toBeLessThan(10_000);
    expect(text).toContain("again");
    expect(text).toContain('"error"');
    expect(await hasLeft).toBe("left");
  }, 60_000);
});
