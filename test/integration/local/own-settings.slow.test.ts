import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { codeOf } from "../../support/declared.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";
import {
  delta,
  finish,
  role,
  sendEvents,
  startEvents,
  streamingOn,
  usage,
} from "../../support/fake-stream.ts";
import { everySecond, hearSeconds, numberedRecording } from "../../support/numbered-recording.ts";
import { type OwnService, startOwnService } from "../../support/own-service.ts";
import { fetchOutcome } from "../../support/storage-outcome.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../support/wav.ts";

let gpu: FakeBackend;
let hosted: FakeBackend;
let voice: FakeBackend;
let service: OwnService;
let token: string;

/** An operator with a machine of their own, a provider for when it sleeps, another one for speech, and limits of their choice. */
const settings = () => ({
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
  SPEECH_BASE_URL: voice.baseUrl,
  SPEECH_MODEL: "their-voices",
  SPEECH_API_KEY: "key-of-voices",
  SPEECH_PLATFORM: "their-gpu",
  SPEECH_TIMEOUT_MS: "1500",
  LIMIT_MULTIPLIER: "1",
  LIMIT_CREDENTIALS_PER_MINUTE: "40",
  LIMIT_ANONYMOUS_PER_MINUTE: "5",
});

beforeAll(async () => {
  [gpu, hosted, voice] = await Promise.all([startFakeBackend(), startFakeBackend(), startFakeBackend()]);
  service = await startOwnService(settings());
  ({ token } = await service.client.createAccount());
});
afterAll(async () => {
  await service.close();
  await Promise.all([gpu.close(), hosted.close(), voice.close()]);
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  service.client.request(path, { token, body, headers, ...(signal ? { signal } : {}) });

const messages = [{ role: "user", content: "How are you in Luganda?" }];
const translation = { source_language: "eng", target_language: "lug", text: "Where is the market?" };
const text = "Wasuze otya nno?";

describe("a service with two servers for its tasks", () => {
  it("says which one replied, and lets scripts of other sites read it", async () => {
    gpu.behave(responding(200, completion("Oli otya?")));
    const response = await post("/tasks/chat/completions", { messages }, { Origin: "https://app.example" });
    expect(response.headers.get("x-model-server")).toBe("gpu");
    expect(response.headers.get("access-control-expose-headers")).toContain("X-Model-Server");
    expect(gpu.received[0]?.headers.authorization).toBe("Bearer key-of-gpu");
    expect(JSON.parse(gpu.received[0]?.body ?? "")).toMatchObject({ model: "qwen-14b" });
  });

  it.each([
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
  ])(
    "uses the second one for %s, with its key and its name of the model",
    async (_what, path, body, model) => {
      gpu.behave(responding(429, "busy"));
      hosted.behave(responding(200, completion("Oli otya?")));
      const response = await post(path, body);
      expect(response.status).toBe(200);
      expect(response.headers.get("x-model-server")).toBe("our-host");
      expect([gpu.received.length, hosted.received.length]).toEqual([1, 1]);
      expect(hosted.received[0]?.headers.authorization).toBe("Bearer key-of-host");
      if (model) expect(JSON.parse(hosted.received[0]?.body ?? "")).toMatchObject({ model });
    },
  );

  it("repeats a response to a request with the same Idempotency-Key with the server that had replied", async () => {
    gpu.behave(responding(200, completion("Oli otya?")));
    const once = () => post("/tasks/translate", translation, { "Idempotency-Key": "once" });
    expect((await once()).headers.get("x-model-server")).toBe("gpu");
    const again = await once();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-model-server")).toBe("gpu");
    expect(gpu.received).toHaveLength(1);
  });

  it("names every server that replied to a text of a list", async () => {
    gpu.behave(responding(503, "no"), responding(200, completion("Oli otya?")));
    hosted.behave(responding(200, completion("Gyendi.")));
    const items = ["How are you?", "I am fine."].map((each) => ({ ...translation, text: each }));
    const response = await post("/tasks/translate/batch", { items });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-model-server")?.split(", ").sort()).toEqual(["gpu", "our-host"]);
  });

  it("transcribes jobs through the second one while the first is down", async () => {
    gpu.behave(responding(503, "no"));
    hosted.behave((response, request) => {
      responding(200, hearSeconds(hosted.received.at(-1)?.bytes ?? Buffer.alloc(0)))(response, request);
    });
    const fields = { type: "transcription", language: "lug" };
    const { id } = await service.client.startJob(numberedRecording(20), fields, { token });
    expect((await service.client.whenOver(id, token)).body).toMatchObject({ status: "completed" });
    const result = await service.client.send(`/tasks/jobs/${id}/result`, { token });
    expect(result.text.split(" ")).toEqual(everySecond(20));
    expect(hosted.received[0]?.bytes.toString("latin1")).toContain("their-whisper");
  });
});

/** Translates sentences about fields, and says nothing about all else. */
const translateField = (words: string): string => {
  const [, letter] = /field (\w) is green/.exec(words) ?? [];
  return letter === undefined ? "…" : `Ennimiro ${letter} ya kiragala`;
};

const chatRequest = z.object({ messages: z.array(z.object({ content: z.string() })) });

describe("a document whose model says nothing to some of it", () => {
  const paragraphs = (villages: number): string[] =>
    Array.from("abcdefghij", (letter, index) =>
      index < villages ? `The village ${letter} is dry` : `The field ${letter} is green`,
    );

  /** Has a document translated, of which the model translates a part. */
  const translate = async (villages: number) => {
    for (const server of [gpu, hosted])
      server.behave((response, request) => {
        const { messages } = chatRequest.parse(JSON.parse(server.received.at(-1)?.body ?? ""));
        responding(200, completion(translateField(messages.at(-1)?.content ?? "")))(response, request);
      });
    const { client } = service;
    const fields = { type: "translation", source_language: "eng", target_language: "lug" };
    const options = { token, name: "letter.md", type: "text/markdown" };
    const { id } = await client.startJob(paragraphs(villages).join("\n\n"), fields, options);
    const { body: job } = await client.whenOver(id, token);
    const resultOf = (query: string) => client.call(`/tasks/jobs/${id}/result${query}`, { token });
    return { job, resultOf };
  };

  const named = (villages: number) =>
    Array.from({ length: villages }, (_, index) => ({ index, reason: "empty" }));

  const written = (villages: number): string =>
    paragraphs(villages)
      .map((paragraph, index) => (index < villages ? paragraph : translateField(paragraph)))
      .join("\n\n");

  it("is completed when that is half of it, and names each segment that stayed", async () => {
    const { job, resultOf } = await translate(5);
    expect(job).toMatchObject({ status: "completed", segments_kept: named(5), segments_kept_count: 5 });
    expect(await resultOf("")).toMatchObject({ status: 200, body: written(5) });
  });

  it("has failed when that is more than half, names each segment that stayed, and has the rest", async () => {
    const { job, resultOf } = await translate(6);
    expect(job).toMatchObject({
      status: "failed",
      segments_kept: named(6),
      segments_kept_count: 6,
      error: { code: "external_service_error" },
    });
    expect(await resultOf("")).toMatchObject({ status: 409, body: { error: { code: "job_not_completed" } } });
    expect(await resultOf("?partial=true")).toMatchObject({ status: 200, body: written(6) });
  });
});

/** A voice that sends the header of a WAV file, then any bytes of a test. */
const speaking = (): Promise<ServerResponse> => {
  const { promise: started, resolve } = Promise.withResolvers<ServerResponse>();
  voice.behave((response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.write(wavHeaderBytes(0));
    resolve(response);
  });
  return started;
};

const second = audioBytes(48_000);

describe("speech from a server of the operator's choice", () => {
  const speak = (mode: string, signal?: AbortSignal) =>
    post("/tasks/audio/speech", { text, response_mode: mode }, {}, signal);
  const readerOf = ({ body }: Response) => {
    if (!body) throw new Error("The answer has no body.");
    return body.getReader();
  };

  it("comes from its model, with its key, and names its platform", async () => {
    voice.behave((response) => response.end(wavFile(second)));
    const response = await speak("url");
    expect(await response.json()).toMatchObject({ model: "their-voices", platform: "their-gpu" });
    expect(voice.received[0]?.headers.authorization).toBe("Bearer key-of-voices");
    expect(JSON.parse(voice.received[0]?.body ?? "")).toMatchObject({ model: "their-voices" });
  });

  it("reaches the caller as a stream", async () => {
    const started = speaking();
    const reader = readerOf(await speak("both"));
    expect((await reader.read()).value?.length).toBe(44);
    const server = await started;
    server.write(second);
    expect((await reader.read()).value?.length).toBeGreaterThan(0);
    server.end();
    while (!(await reader.read()).done) {}
  });

  it.each(["breaks its connection", "falls silent"])("breaks off when the server %s", async (how) => {
    const started = speaking();
    const response = await speak("both");
    const reader = readerOf(response);
    await reader.read();
    const server = await started;
    if (how === "breaks its connection") server.destroy();
    await expect(reader.read()).rejects.toThrow();
    expect(await fetchOutcome(response.headers.get("x-audio-url") ?? "")).toBe("404 NoSuchKey");
  });

  it("is no longer made when the caller goes away", async () => {
    const started = speaking();
    const caller = new AbortController();
    const response = await speak("both", caller.signal);
    await readerOf(response).read();
    caller.abort();
    const server = await started;
    // A function learns that its caller is gone when it writes.
    const sending = setInterval(() => server.write(second), 50);
    await once(server, "close");
    clearInterval(sending);
    expect(await fetchOutcome(response.headers.get("x-audio-url") ?? "")).toBe("404 NoSuchKey");
  });
});

describe.each(["the REST API", "the function URL"] as const)("a free account at %s", (door) => {
  it("has five streams at a time, gets a clear refusal, and has another one when one has ended or was left", async () => {
    const responses: ServerResponse[] = [];
    gpu.behave((response, request) => {
      responses.push(response);
      streamingOn(role, delta("Oli"))(response, request);
    });
    const routes = z.object({ chat_stream_url: z.url() });
    const { chat_stream_url: direct } = routes.parse(await service.client.send("/_local/routes"));
    const address = door === "the REST API" ? "" : direct.replace(/\/$/, "");
    const { token } = await service.client.createAccount();
    const open = async () => {
      const leaving = new AbortController();
      const body = { messages, stream: true };
      const options = { token, body, signal: leaving.signal };
      const response = await service.client.request(`${address}/tasks/chat/completions`, options);
      return { response, leave: () => leaving.abort() };
    };
    const opened: Awaited<ReturnType<typeof open>>[] = [];
    for (let count = 0; count < 5; count += 1) opened.push(await open());
    expect(opened.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);

    const { response: sixth } = await open();
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
          const next = await open();
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

/** Says a word five times a second, in text or speech, and never stops until its reader has left. */
const endless =
  (whenLeft: () => void): Behaviour =>
  (response, request) => {
    const speaks = request.url?.endsWith("/audio/speech");
    if (speaks) response.writeHead(200, { "Content-Type": "audio/wav" }).write(wavHeaderBytes(0));
    else startEvents(response);
    const timer = setInterval(() => {
      if (speaks) response.write(audioBytes(9_600));
      else sendEvents(response, delta("again "));
    }, 200);
    response.on("close", () => {
      clearInterval(timer);
      whenLeft();
    });
  };

/** Everything that comes before the stream ends, also when its end is a broken connection. */
const readToEnd = async ({ body }: Response): Promise<string> => {
  let received = "";
  try {
    for await (const piece of body ?? []) received += Buffer.from(piece).toString("latin1");
  } catch {
    return `${received} (broken off)`;
  }
  return received;
};

describe("an account that is disabled", () => {
  const disable = async (id: number) => (await service.accounts()).setDisabled(id, true);

  it.each([
    ["/v1/chat/completions", { model: "lang-9b", stream: true, messages }, '"error"'],
    ["/tasks/audio/speech", { text, response_mode: "stream" }, "(broken off)"],
    ["/tasks/modal/tts/stream", { text }, "(broken off)"],
    ["/tasks/modal/tts", { text, response_mode: "both" }, '"event":"error"'],
    ["/tasks/modal/tts/stream-with-url", { text }, '"event":"error"'],
  ])(
    "has its streams ended, and so the work of the model: %s",
    { timeout: 60_000 },
    async (path, body, end) => {
      const left = Promise.withResolvers<void>();
      for (const server of [gpu, voice]) server.behave(endless(left.resolve));
      const { id, token } = await service.client.createAccount();
      const stream = await service.client.request(path, { token, body });
      expect(stream.status).toBe(200);
      await disable(id);
      expect(await readToEnd(stream)).toContain(end);
      await left.promise;
    },
  );

  it("is refused in the form of each API, with any token or key, and gets no new token", async () => {
    const account = await service.client.createAccount();
    const { key } = await service.client.send("/auth/keys", {
      token: account.token,
      body: { name: "a program" },
    });
    await disable(account.id);
    for (const credential of [account.token, key]) {
      for (const [method, path] of [
        ["GET", "/auth/me"],
        ["POST", "/tasks/translate"],
        ["POST", "/tasks/audio/speech"],
        ["POST", "/tasks/sunflower_simple"],
        ["POST", "/v1/chat/completions"],
        ["POST", "/deepl/v2/translate"],
        ["POST", "/libretranslate/translate"],
      ] as const) {
        const { status, body } = await service.client.call(path, { method, token: credential });
        expect({ path, status, code: codeOf(body) }).toEqual({ path, status: 403, code: "forbidden" });
      }
    }
    const { username, password } = account;
    expect(await service.client.logIn(username, password)).toMatchObject({
      status: 403,
      body: { error: "access_denied" },
    });
    // A stranger learns nothing.
    expect((await service.client.logIn(username, "not the password")).status).toBe(401);
  });
});

describe("a service with limits of its operator's choice", () => {
  /** Sends until it is refused; it may wait for the end of a minute. @returns the limit that refused it. */
  const untilRefused = async (limit: number, send: (index: number) => Promise<Response>) => {
    for (let sent = 0; sent <= 2 * limit; sent += 1) {
      const { status, headers } = await send(sent);
      if (status !== 429) continue;
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      return headers.get("ratelimit-policy");
    }
    throw new Error("The limit was never reached.");
  };

  it("limits uploads without a token by source address, and health never", async () => {
    const body = { file_name: "a.mp3", content_type: "audio/mpeg" };
    const upload = () => service.client.request("/tasks/generate-upload-url", { body });
    expect(await untilRefused(5, upload)).toBe('"minute";q=5;w=60');
    for (let sent = 0; sent < 20; sent += 1) {
      expect(await service.client.call("/health")).toMatchObject({ status: 200, body: { status: "ok" } });
    }
  });

  it("limits logins separately, for any names and any forwarding headers", async () => {
    const logIn = (person: number) =>
      service.client.request("/auth/token", {
        headers: { "X-Forwarded-For": `198.51.100.${person}` },
        body: new URLSearchParams({ username: `person-${person}`, password: "not the password" }),
      });
    expect(await untilRefused(40, logIn)).toBe('"minute";q=40;w=60');
  });
});
