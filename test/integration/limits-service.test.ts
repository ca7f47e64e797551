import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, runService } from "../support/run-service.ts";

let folder: string;
let service: RunningService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-limits-"));
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    LIMIT_CREDENTIALS_PER_MINUTE: "3",
    LIMIT_ANONYMOUS_PER_MINUTE: "2",
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Sends as many requests as are needed to be refused, when a minute may end in between.
 *
 * @returns how many passed before, and the refusal.
 */
const untilRefused = async (limit: number, send: () => Promise<Response>) => {
  for (let passed = 0; passed <= 2 * limit; passed += 1) {
    const refused = await send();
    await refused.arrayBuffer();
    if (refused.status === 429) return { passed, refused };
  }
  throw new Error("The limit was never reached.");
};

const logIn = (username: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/auth/token`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ username, password: "not the password" }),
  });

describe("a service with limits of its operator's choice", () => {
  it("limits logins by source address, for any names and any forwarding headers", async () => {
    let people = 0;
    const { passed, refused } = await untilRefused(3, () => {
      people += 1;
      return logIn(`person-${people}`, { "X-Forwarded-For": `198.51.100.${people}` });
    });
    expect(passed).toBeGreaterThanOrEqual(3);
    expect(refused.headers.get("ratelimit-policy")).toBe('"minute";q=3;w=60');
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  it("limits registration together with logins, and uploads separately", async () => {
    const { refused: registered } = await untilRefused(3, () =>
      fetch(`${service.url}/auth/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          username: `user-${crypto.randomUUID().slice(0, 8)}`,
          email: `${crypto.randomUUID()}@example.com`,
          password: "seven storks by the lake",
        }),
      }),
    );
    expect(registered.headers.get("ratelimit-policy")).toBe('"minute";q=3;w=60');
    const { passed, refused: upload } = await untilRefused(2, () =>
      fetch(`${service.url}/tasks/generate-upload-url`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ file_name: "a.mp3", content_type: "audio/mpeg" }),
      }),
    );
    expect(passed).toBeGreaterThanOrEqual(2);
    expect(upload.headers.get("ratelimit-policy")).toBe('"minute";q=2;w=60');
  });

  it("never limits health", async () => {
    for (let sent = 0; sent < 20; sent += 1) {
      const response = await fetch(`${service.url}/health`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ status: "ok" });
    }
  });
});
