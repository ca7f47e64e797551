import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type FakeBackend, startFakeBackend } from "../../support/fake-backend.ts";
import { delta, finish, role, sendEvents, streamingOn, usage } from "../../support/fake-stream.ts";
import { type RunningService, runService } from "../../support/run-service.ts";

const password = "seven storks by the lake";
let folder: string;
let backend: FakeBackend;
let service: RunningService;
/** The URL for streams, by the name of the entry point. */
let doors: Record<"the REST API" | "the function URL", string>;
/** The model's side of every started stream. */
let responses: ServerResponse[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-streams-"));
  backend = await startFakeBackend();
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    CHAT_BASE_URL: backend.baseUrl,
    CHAT_MODEL: "model",
    LIMIT_MULTIPLIER: "1",
  });
  const response = await fetch(`${service.url}/_local/routes`);
  const { chat_stream_url: direct } = z.object({ chat_stream_url: z.url() }).parse(await response.json());
  doors = { "the REST API": service.url, "the function URL": direct.replace(/\/$/, "") };
  backend.behave((response, request) => {
    responses.push(response);
    streamingOn(role, delta("Oli"))(response, request);
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

const signIn = async (username: string): Promise<string> => {
  await fetch(`${service.url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, email: `${username}@example.com`, password }),
  });
  const response = await fetch(`${service.url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username, password }),
  });
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token;
};

interface OpenedStream {
  readonly response: Response;
  /** Goes away without a word. */
  leave(): void;
}

const open = async (door: string, token: string): Promise<OpenedStream> => {
  const leaving = new AbortController();
  const response = await fetch(`${door}/tasks/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ messages: [{ role: "user", content: "Oli otya?" }], stream: true }),
    signal: leaving.signal,
  });
  return { response, leave: () => leaving.abort() };
};

describe.each(["the REST API", "the function URL"] as const)("a free account at %s", (name) => {
  it("has five streams at a time, gets a clear refusal, and has another one when one has ended or was left", async () => {
    const door = doors[name];
    const token = await signIn(name === "the REST API" ? "amina" : "okello");
    responses = [];
    const opened: OpenedStream[] = [];
    for (let count = 0; count < 5; count += 1) opened.push(await open(door, token));
    expect(opened.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
    await vi.waitFor(() => expect(responses).toHaveLength(5), { timeout: 10_000 });

    const { response: sixth } = await open(door, token);
    expect(sixth.status).toBe(429);
    expect(sixth.headers.get("retry-after")).toBe("5");
    // The minute may have changed since the first.
    expect(sixth.headers.get("ratelimit")).toMatch(/"day";r=495;/);
    expect(await sixth.json()).toMatchObject({
      detail: "Too many streams: at most 5 at a time. End one, or wait until one has ended.",
      error: { code: "rate_limited", type: "rate_limit_error" },
    });

    /** A write after the last byte releases its slot. */
    const openWhenThereIsRoom = () =>
      vi.waitFor(
        async () => {
          const next = await open(door, token);
          if (next.response.status !== 200) throw new Error(`It was refused: ${await next.response.text()}`);
          return next;
        },
        { timeout: 15_000, interval: 300 },
      );

    const [first] = responses;
    if (!first) throw new Error("No stream has begun.");
    sendEvents(first, finish(), usage, "[DONE]");
    first.end();
    expect(await opened[0]?.response.text()).toContain("[DONE]");
    opened.push(await openWhenThereIsRoom());

    opened[1]?.leave();
    opened.push(await openWhenThereIsRoom());
    for (const { leave } of opened) leave();
  });
});
