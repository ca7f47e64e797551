import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";
import { type RunningService, runService } from "../../support/run-service.ts";

const timeoutMilliseconds = 1_500;
const password = "seven storks by the lake";

let folder: string;
let backend: FakeBackend;
let service: RunningService;
let token: string;

const post = (path: string, body: string, headers: Record<string, string>, signal?: AbortSignal) =>
  fetch(`${service.url}${path}`, { method: "POST", body, headers, ...(signal ? { signal } : {}) });

const translate = (signal?: AbortSignal) =>
  post(
    "/tasks/translate",
    JSON.stringify({ source_language: "eng", target_language: "lug", text: "Where is the market?" }),
    { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    signal,
  );

/** How many tasks the account may still send today. */
const leftToday = ({ headers }: Response): number =>
  Number(/"day";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-faults-"));
  backend = await startFakeBackend();
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    CHAT_BASE_URL: backend.baseUrl,
    CHAT_API_KEY: "the-key",
    CHAT_MODEL_9B: "their-model",
    CHAT_TIMEOUT_MS: String(timeoutMilliseconds),
  });
  await post("/auth/register", JSON.stringify({ username: "amina", email: "amina@example.com", password }), {
    "Content-Type": "application/json",
  });
  const response = await post(
    "/auth/token",
    new URLSearchParams({ username: "amina", password }).toString(),
    {
      "Content-Type": "application/x-www-form-urlencoded",
    },
  );
  ({ access_token: token } = (await response.json()) as { access_token: string });
}, 60_000);

afterAll(async () => {
  await service.stop();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the service in front of another server of the OpenAI API", () => {
  it("translates through it, with its model and its key", async () => {
    backend.behave(responding(200, completion("Akatale kali ludda wa?")));
    const response = await translate();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ output: { translated_text: "Akatale kali ludda wa?" } });
    expect(backend.received[0]?.headers["authorization"]).toBe("Bearer the-key");
    expect(JSON.parse(backend.received[0]?.body ?? "")).toMatchObject({ model: "their-model" });
  });

  // Never five failures in a row: then no call would reach the server, and the cases would not run.
  it.each([
    ["hangs", hanging, 503],
    ["breaks connections", resetting, 503],
    ["returns 503", responding(503, "no"), 503],
    ["is loading", responding(200, { error: { message: "Loading model" } }), 503],
    ["returns 500", responding(500, "no"), 502],
    ["returns nonsense", responding(200, "<html>"), 502],
    ["reports an error inside a 200", responding(200, { error: { message: "CUDA error" } }), 502],
    ["returns an empty text", responding(200, completion("")), 502],
  ])("that %s explains to the caller what to do, in time", async (_case, behaviour, status) => {
    backend.behave(behaviour);
    // The bound is that no request hangs, not how fast this machine is.
    const response = await translate(AbortSignal.timeout(10 * timeoutMilliseconds));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { code: status === 503 ? "service_unavailable" : "external_service_error" },
    });
    expect(response.headers.has("retry-after")).toBe(status === 503);
  });

  it("costs quota only when its model started to work", async () => {
    const costs = async (behaviour: Behaviour): Promise<number> => {
      backend.behave(responding(200, completion("Akatale kali ludda wa?")));
      const before = await translate();
      backend.behave(behaviour);
      const after = await translate();
      return leftToday(before) - leftToday(after);
    };
    const measure = async () => [
      await costs(responding(503, "loading model")),
      await costs(responding(400, "too long")),
      await costs(responding(500, "no")),
      await costs(responding(200, completion("Gyendi."))),
    ];
    const startedOn = new Date().getUTCDate();
    const costsOfAll = await measure();
    // A new day has a new quota.
    const isSameDay = startedOn === new Date().getUTCDate();
    expect(isSameDay ? costsOfAll : await measure()).toEqual([0, 0, 1, 1]);
  });

  it("that is down is unavailable, and after five failures in a row no one waits for it", async () => {
    await backend.close();
    for (let count = 0; count < 5; count += 1) expect((await translate()).status).toBe(503);
    const response = await translate();
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("10");
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("gets no requests") });
  });
});
