import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { openLocalAccounts } from "../support/local-accounts.ts";
import { type RunningService, runService } from "../support/run-service.ts";
import { audioBytes, wavHeaderBytes } from "../support/wav.ts";

const password = "seven storks by the lake";

let folder: string;
let model: Server;
let hasLeft = Promise.withResolvers<string>();
let service: RunningService;

const choices = [{ index: 0, delta: { content: "again " }, finish_reason: null }];
const word = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;

/** A model that says a word five times a second, in text or speech, and never stops. */
const startModel = async (): Promise<string> => {
  model = createServer((request, response) => {
    request.resume();
    const speaks = request.url?.endsWith("/audio/speech");
    response.writeHead(200, { "Content-Type": speaks ? "audio/wav" : "text/event-stream" });
    if (speaks) response.write(wavHeaderBytes(0));
    const timer = setInterval(() => response.write(speaks ? audioBytes(9_600) : word), 200);
    response.on("close", () => {
      clearInterval(timer);
      hasLeft.resolve("left");
    });
  }).listen(0, "127.0.0.1");
  await once(model, "listening");
  const address = model.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  return `http://127.0.0.1:${address.port}/v1`;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-disabled-streams-"));
  const url = await startModel();
  service = await runService({ PORT: "0", DATA_DIR: folder, CHAT_BASE_URL: url, SPEECH_BASE_URL: url });
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

/** Everything that comes before the stream ends, also when its end is a broken connection. */
const readToEnd = async ({ body }: Response): Promise<string> => {
  let text = "";
  try {
    for await (const piece of body ?? []) text += Buffer.from(piece).toString("latin1");
  } catch {
    return `${text} (broken off)`;
  }
  return text;
};

const messages = [{ role: "user", content: "Oli otya?" }];
const text = "Wasuze otya nno?";

describe("a stream of an account that is disabled meanwhile", () => {
  it.each([
    ["/v1/chat/completions", { model: "lang-9b", stream: true, messages }, '"error"'],
    ["/tasks/audio/speech", { text, response_mode: "stream" }, "(broken off)"],
    ["/tasks/modal/tts/stream", { text }, "(broken off)"],
    ["/tasks/modal/tts", { text, response_mode: "both" }, '"event":"error"'],
    ["/tasks/modal/tts/stream-with-url", { text }, '"event":"error"'],
  ])(
    "ends within ten seconds, and so does the work of the model: %s",
    async (path, body, end) => {
      hasLeft = Promise.withResolvers();
      const username = `amina-${randomUUID()}`;
      const registration = { username, email: `${username}@example.com`, password };
      const registered = await post("/auth/register", registration);
      const { id } = z.object({ id: z.int() }).parse(await registered.json());
      const issued = await post("/auth/token", new URLSearchParams({ username, password }));
      const { access_token: token } = z.object({ access_token: z.string() }).parse(await issued.json());
      const stream = await post(path, body, token);
      expect(stream.status).toBe(200);
      await (await openLocalAccounts(folder)).setDisabled(id, true);
      const disabledAt = performance.now();
      expect(await readToEnd(stream)).toContain(end);
      expect(performance.now() - disabledAt).toBeLessThan(10_000);
      expect(await hasLeft.promise).toBe("left");
    },
    60_000,
  );
});
