import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { logEvents } from "../../shared/telemetry/log-events.ts";
import {
  answering,
  completion,
  type FakeBackend,
  resetting,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { type RunningService, runService } from "../support/run-service.ts";
import { wavHeaderBytes } from "../support/wav.ts";

/** Stands in everything that a caller or a model says; no line of a log may contain it. */
const canary = "Kanari9x";
const password = `${canary} sings by the lake`;
const username = `${canary}-user`;
const email = `${canary}@example.com`;

let folder: string;
let backend: FakeBackend;
let service: RunningService;
let token = "none";

/** Everything a client can put something into, beside the body. */
const headers = () => ({
  Authorization: `Bearer ${token}`,
  "User-Agent": `${canary}/1.0`,
  Cookie: `session=${canary}`,
  "X-Forwarded-For": canary,
  Referer: `https://example.com/${canary}`,
});

const send = async (
  path: string,
  body: string | URLSearchParams | FormData,
  more: Record<string, string> = {},
  method = "POST",
) => {
  const response = await fetch(`${service.url}${path}?trace=${canary}`, {
    method,
    body,
    headers: { ...headers(), ...more },
  });
  return { status: response.status, text: await response.text() };
};

const sendJson = (path: string, body: unknown, method?: string) =>
  send(path, JSON.stringify(body), { "Content-Type": "application/json" }, method);

const signIn = async (withPassword: string) => {
  const { status, text } = await send(
    "/auth/token",
    new URLSearchParams({ username, password: withPassword }),
  );
  if (status === 200) token = z.object({ access_token: z.string() }).parse(JSON.parse(text)).access_token;
  return status;
};

const chat = (stream: boolean) =>
  sendJson("/tasks/chat/completions", {
    model: "lang-14b",
    stream,
    messages: [
      { role: "system", content: `You are ${canary}.` },
      { role: "user", content: `Who is ${canary}?` },
    ],
  });

const translate = () =>
  sendJson("/tasks/translate", {
    source_language: "eng",
    target_language: "lug",
    text: `${canary} was here`,
  });

const form = (fields: Record<string, string | Blob>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") data.set(name, value);
    else data.set(name, value, `${canary}.wav`);
  }
  return data;
};

/** The JSON lines that functions wrote; the local service puts the function's name in front of each. */
const logLines = () =>
  service
    .output()
    .split("\n")
    .flatMap((line) => /\| (\{.+\})$/.exec(line)?.[1] ?? [])
    .map((line) => z.object({ message: z.string() }).loose().parse(JSON.parse(line)));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-canary-"));
  backend = await startFakeBackend();
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    LOG_LEVEL: "DEBUG",
    CHAT_BASE_URL: backend.baseUrl,
    CHAT_API_KEY: `${canary}-key`,
    CHAT_TIMEOUT_MS: "2000",
  });
}, 60_000);

afterAll(async () => {
  await service.stop();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

describe("The log", { timeout: 60_000 }, () => {
  it("has a line for each request and nothing of what was said, whatever is sent and whatever fails", async () => {
    expect((await sendJson("/auth/register", { username, email, password })).status).toBeLessThan(300);
    expect(await signIn(`wrong ${canary}`)).toBe(401);
    expect(await signIn(password)).toBe(200);

    backend.behave(answering(200, completion(`${canary} says hello`)));
    expect((await translate()).status).toBe(200);
    expect((await chat(false)).status).toBe(200);
    await chat(true);
    await sendJson("/tasks/language_id", { text: `${canary} `.repeat(20) });
    await send(
      "/tasks/audio/transcriptions",
      form({ audio: new Blob([new Uint8Array(wavHeaderBytes(0))]), language: "lug" }),
    );
    await sendJson("/tasks/audio/speech", { input: `${canary} speaks`, voice: "248" });
    await sendJson("/tasks/generate-upload-url", { file_name: `${canary}.wav`, content_type: "audio/wav" });
    await sendJson("/auth/forgot-password", { email });
    await sendJson("/auth/reset-password", { token: canary, new_password: password });

    for (const body of [
      canary,
      `{"text": "${canary}`,
      `{"${canary}": "${canary}"}`,
      `{"__proto__": "${canary}"}`,
    ]) {
      for (const path of ["/tasks/translate", "/tasks/chat/completions", "/auth/register"]) {
        await send(path, body, { "Content-Type": "application/json" });
      }
    }
    await send("/tasks/audio/transcriptions", canary, {
      "Content-Type": `multipart/form-data; boundary=${canary}`,
    });
    await send(`/${canary}`, canary);
    await send("/tasks/translate", "{}", { Authorization: `Bearer ${canary}.${canary}.${canary}` });

    for (const fault of [
      answering(500, `<html>${canary}</html>`),
      answering(200, `${canary} is no JSON`),
      answering(200, { error: { message: canary } }),
      answering(400, { error: { message: canary } }),
      answering(200, `data: {"broken": "${canary}\n\n`, { "Content-Type": "text/event-stream" }),
      resetting,
    ]) {
      backend.behave(fault);
      await translate();
      await chat(false);
      await chat(true);
    }

    await expect
      .poll(() => logLines().filter(({ message }) => message === "request.answered").length)
      .toBeGreaterThan(35);
    const unknown = logLines().filter(({ message }) => !(message in logEvents));
    expect(unknown).toEqual([]);
    const told = service
      .output()
      .split("\n")
      .filter((line) => line.includes(" | "));
    expect(told.filter((line) => line.toLowerCase().includes(canary.toLowerCase()))).toEqual([]);
    expect(told.filter((line) => line.includes(token))).toEqual([]);
  });
});
