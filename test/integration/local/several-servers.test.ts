import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completion, type FakeBackend, responding, startFakeBackend } from "../../support/fake-backend.ts";
import { delta, finish, role, streaming } from "../../support/fake-stream.ts";
import { everySecond, hearSeconds, numberedRecording } from "../../support/numbered-recording.ts";
import { type RunningService, runCommand, runService } from "../../support/run-service.ts";

let folder: string;
let gpu: FakeBackend;
let hosted: FakeBackend;
let service: RunningService;
let token: string;

/** The settings of an operator who has a machine of their own, and a provider for when it sleeps. */
const servers = () => ({
  CHAT_SERVERS: JSON.stringify([
    { name: "gpu", base_url: gpu.baseUrl, model_14b: "qwen-14b", model_9b: "qwen-9b" },
    {
      name: "our-host",
      base_url: hosted.baseUrl,
      model_14b: "their-large",
      model_9b: "their-small",
      order: 2,
    },
  ]),
  TRANSCRIPTION_SERVERS: JSON.stringify([
    { name: "gpu", base_url: gpu.baseUrl, model: "whisper" },
    { name: "our-host", base_url: hosted.baseUrl, model: "their-whisper", order: 2, timeout_ms: 20_000 },
  ]),
  GPU_API_KEY: "key-of-gpu",
  OUR_HOST_API_KEY: "key-of-host",
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-servers-"));
  [gpu, hosted] = await Promise.all([startFakeBackend(), startFakeBackend()]);
  service = await runService({ PORT: "0", DATA_DIR: folder, ...servers() });
  const [username, password] = ["amina", "seven storks by the lake"];
  await send("/auth/register", { username, email: "amina@example.com", password });
  const login = send("/auth/token", new URLSearchParams({ username, password }));
  ({ access_token: token } = await bodyOf(login));
}, 90_000);

afterAll(async () => {
  await service.stop();
  await Promise.all([gpu.close(), hosted.close()]);
  await rm(folder, { recursive: true, force: true });
});

const send = (path: string, body?: object | URLSearchParams, headers: Record<string, string> = {}) =>
  fetch(service.url + path, {
    method: body ? "POST" : "GET",
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body && !(body instanceof URLSearchParams) ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: body instanceof URLSearchParams ? body : JSON.stringify(body) } : {}),
  });

const bodyOf = async (response: Promise<Response>) => JSON.parse(await (await response).text());

const messages = [{ role: "user", content: "How are you in Luganda?" }];
const translation = { source_language: "eng", target_language: "lug", text: "Where is the market?" };

const calls = [
  ["chat", "/tasks/chat/completions", { messages }, "their-large"],
  ["chat of OpenAI clients", "/v1/chat/completions", { model: "lang-9b", messages }, "their-small"],
  ["version 1's chat", "/tasks/sunflower_simple", new URLSearchParams({ instruction: "Hello" }), undefined],
  ["translation, with chat's smaller model", "/tasks/translate", translation, "their-small"],
  [
    "translation of DeepL clients",
    "/deepl/v2/translate",
    { text: ["Hello"], target_lang: "SW" },
    "their-small",
  ],
  [
    "translation of LibreTranslate clients",
    "/libretranslate/translate",
    { q: "Hello", source: "en", target: "sw" },
    "their-small",
  ],
] as const;

describe("the service with two servers for its tasks", () => {
  it("says which one replied, and lets scripts of other sites read it", async () => {
    gpu.behave(responding(200, completion("Oli otya?")));
    const response = await send("/tasks/chat/completions", { messages }, { Origin: "https://app.example" });
    expect(response.headers.get("x-model-server")).toBe("gpu");
    expect(response.headers.get("access-control-expose-headers")).toContain("X-Model-Server");
    expect(gpu.received[0]?.headers.authorization).toBe("Bearer key-of-gpu");
    expect(JSON.parse(gpu.received[0]?.body ?? "")).toMatchObject({ model: "qwen-14b" });
  });

  it.each(calls)(
    "uses the second one for %s, with its key and its name of the model",
    async (_what, path, body, model) => {
      gpu.behave(responding(429, "busy"));
      hosted.behave(responding(200, completion("Oli otya?")));
      const response = await send(path, body);
      expect(response.status).toBe(200);
      expect(response.headers.get("x-model-server")).toBe("our-host");
      expect([gpu.received.length, hosted.received.length]).toEqual([1, 1]);
      expect(hosted.received[0]?.headers.authorization).toBe("Bearer key-of-host");
      if (model) expect(JSON.parse(hosted.received[0]?.body ?? "")).toMatchObject({ model });
    },
  );

  it("streams from the second one", async () => {
    gpu.behave(responding(503, "no"));
    hosted.behave(streaming(role, delta("Oli otya?"), finish(), "[DONE]"));
    const response = await send("/tasks/chat/completions", { messages, stream: true });
    expect(response.headers.get("x-model-server")).toBe("our-host");
    expect(await response.text()).toContain("Oli otya?");
  });

  it("repeats a response to a request with the same Idempotency-Key with the server that had replied", async () => {
    gpu.behave(responding(200, completion("Oli otya?")));
    const once = () => send("/tasks/translate", translation, { "Idempotency-Key": "once" });
    expect((await once()).headers.get("x-model-server")).toBe("gpu");
    const again = await once();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-model-server")).toBe("gpu");
    expect(gpu.received).toHaveLength(1);
  });

  it("names every server that replied to a text of a list", async () => {
    gpu.behave(responding(503, "no"), responding(200, completion("Oli otya?")));
    hosted.behave(responding(200, completion("Gyendi.")));
    const item = { source_language: "eng", target_language: "lug" };
    const response = await send("/tasks/translate/batch", {
      items: [
        { ...item, text: "How are you?" },
        { ...item, text: "I am fine." },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-model-server")?.split(", ").sort()).toEqual(["gpu", "our-host"]);
  });

  it("transcribes jobs through the second one while the first is unreachable", {
    timeout: 60_000,
  }, async () => {
    await gpu.close();
    hosted.behave((response, request) => {
      responding(200, hearSeconds(hosted.received.at(-1)?.bytes ?? Buffer.alloc(0)))(response, request);
    });
    const seconds = 20;
    const bytes = numberedRecording(seconds);
    const upload = { file_name: "session.wav", content_type: "audio/wav", size: bytes.length };
    const { upload_url, file_id } = await bodyOf(send("/tasks/generate-upload-url", upload));
    await fetch(upload_url, {
      method: "PUT",
      headers: { "Content-Type": "audio/wav" },
      body: new Blob([bytes]),
    });
    const job = { type: "transcription", file_id, language: "lug" };
    const { id } = await bodyOf(send("/tasks/jobs", job));
    const status = async () => (await bodyOf(send(`/tasks/jobs/${id}`))).status;
    while (/queued|running/.test(await status())) await sleep(250);
    expect(await status()).toBe("completed");
    const { text } = await bodyOf(send(`/tasks/jobs/${id}/result`));
    expect(text.split(" ")).toEqual(everySecond(seconds));
    expect(hosted.received[0]?.bytes.toString("latin1")).toContain("their-whisper");
  });
});

describe("a service with both forms of servers", () => {
  it("does not start, and says what to remove", { timeout: 30_000 }, async () => {
    const both = {
      PORT: "0",
      DATA_DIR: join(folder, "both"),
      ...servers(),
      CHAT_BASE_URL: "http://127.0.0.1:9/v1",
    };
    const command = runCommand("infra/local/main.ts", [], both);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(
      "CHAT_SERVERS and CHAT_BASE_URL are both set: CHAT_BASE_URL is the short form for one server, so remove one of them",
    );
  });
});
