import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeBackend, startFakeBackend } from "../../support/fake-backend.ts";
import { type RunningService, runService } from "../../support/run-service.ts";
import { fetchOutcome } from "../../support/storage-outcome.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../support/wav.ts";

const password = "seven storks by the lake";
let folder: string;
let backend: FakeBackend;
let service: RunningService;
let token: string;

const postJson = (path: string, body: object, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...init,
  });
const speak = (responseMode: string, signal?: AbortSignal) =>
  postJson(
    "/tasks/audio/speech",
    { text: "Wasuze otya nno?", response_mode: responseMode },
    signal ? { signal } : {},
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-speech-"));
  backend = await startFakeBackend();
  token = "";
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    CHAT_BASE_URL: "http://127.0.0.1:9/v1",
    SPEECH_BASE_URL: backend.baseUrl,
    SPEECH_MODEL: "their-model",
    SPEECH_API_KEY: "their-key",
    SPEECH_PLATFORM: "their-gpu",
    SPEECH_TIMEOUT_MS: "1500",
  });
  await postJson("/auth/register", { username: "amina", email: "amina@example.com", password });
  const response = await fetch(`${service.url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username: "amina", password }),
  });
  ({ access_token: token } = (await response.json()) as { access_token: string });
}, 60_000);

afterAll(async () => {
  await service.stop();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

/** A server that sends the header of a WAV file, then any bytes of a test. */
const speaking = (): Promise<ServerResponse> => {
  const { promise: started, resolve } = Promise.withResolvers<ServerResponse>();
  backend.behave((response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.write(wavHeaderBytes(0));
    resolve(response);
  });
  return started;
};

const readerOf = (response: Response) => {
  if (!response.body) throw new Error("The answer has no body.");
  return response.body.getReader();
};

const second = audioBytes(48_000);

describe("speech in front of another server of the OpenAI API", () => {
  it("comes from its model, with its key, and names its platform", async () => {
    backend.behave((response) => response.end(wavFile(second)));
    const response = await speak("url");
    expect(await response.json()).toMatchObject({ model: "their-model", platform: "their-gpu" });
    expect(backend.received[0]?.headers["authorization"]).toBe("Bearer their-key");
    expect(JSON.parse(backend.received[0]?.body ?? "")).toMatchObject({ model: "their-model" });
  });

  it.each(["stream", "both"])("reaches the caller as a stream (%s)", async (mode) => {
    const started = speaking();
    const response = await speak(mode);
    const reader = readerOf(response);
    expect((await reader.read()).value?.length).toBe(44);
    const server = await started;
    server.write(second);
    expect((await reader.read()).value?.length).toBeGreaterThan(0);
    server.end();
    while (!(await reader.read()).done) {}
  });

  it.each(["stream", "both"])("breaks the connection when the server breaks its own (%s)", async (mode) => {
    const started = speaking();
    const response = await speak(mode);
    const reader = readerOf(response);
    await reader.read();
    (await started).destroy();
    await expect(reader.read()).rejects.toThrow();
    const url = response.headers.get("x-audio-url");
    expect(url === null).toBe(mode === "stream");
    if (url) expect(await fetchOutcome(url)).toBe("404 NoSuchKey");
  });

  it.each(["stream", "both"])("breaks the connection when the server falls silent (%s)", async (mode) => {
    void speaking();
    const reader = readerOf(await speak(mode));
    await reader.read();
    await expect(reader.read()).rejects.toThrow();
  });

  it.each(["stream", "both"])("stops when the caller goes away (%s)", async (mode) => {
    const started = speaking();
    const caller = new AbortController();
    const response = await speak(mode, caller.signal);
    const reader = readerOf(response);
    await reader.read();
    caller.abort();
    const server = await started;
    // A function learns that its caller is gone when it writes.
    const sending = setInterval(() => server.write(second), 50);
    await once(server, "close");
    clearInterval(sending);
    const url = response.headers.get("x-audio-url");
    expect(url === null).toBe(mode === "stream");
    if (url) expect(await fetchOutcome(url)).toBe("404 NoSuchKey");
  });

  it("still works after all that", async () => {
    backend.behave((response) => response.end(wavFile(second)));
    const response = await speak("both");
    expect(response.status).toBe(200);
    const audio = Buffer.from(await response.arrayBuffer());
    expect(audio.includes(second)).toBe(true);
  });
});
