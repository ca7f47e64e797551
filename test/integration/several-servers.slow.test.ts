import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { bufferSource } from "../../shared/audio/read-audio.ts";
import type { Backend } from "../../shared/models/inference/openai/backend.ts";
import { createOpenAiSynthesizer } from "../../shared/models/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../../shared/models/inference/openai/transcriber.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { delta, finish, role, streaming, streamingThenBreaking } from "../support/fake-stream.ts";
import type { LoopbackServer } from "../support/loopback-server.ts";
import { modelServer } from "../support/model-servers.ts";
import { everyTask, type ModelTaskRequest, type TaskName, tasks } from "../support/model-tasks.ts";
import { readAll } from "../support/read-all.ts";
import { serveStreaming } from "../support/streaming-server.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const silenceMilliseconds = 500;

/** What a server that works responds to each task. */
const works: Readonly<Record<TaskName, Behaviour>> = {
  translation: responding(200, completion("Oli otya?")),
  chat: responding(200, completion("Oli otya?")),
  "streamed chat": streaming(role, delta("Oli "), delta("otya?"), finish(), "[DONE]"),
  speech: (response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" }).end(wavFile(audioBytes(4_000)));
  },
  transcription: responding(200, { text: "Wasuze otya nno?" }),
};

let gpu: FakeBackend;
let hosted: FakeBackend;
beforeEach(async () => {
  [gpu, hosted] = await Promise.all([startFakeBackend(), startFakeBackend()]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([gpu.close(), hosted.close()]);
});

const backend = (name: string, { baseUrl }: FakeBackend, more: Partial<Backend> = {}): Backend =>
  modelServer({ name, baseUrl, apiKey: async () => `key of ${name}`, silenceMilliseconds, ...more });

/** Both servers, of which `gpu` is called first. */
const both = () => [backend("hosted", hosted, { order: 2 }), backend("gpu", gpu)] as const;

const unlimited = () => ({ signal: new AbortController().signal });

const recordingRequest = {
  recording: {
    source: bufferSource(wavFile(audioBytes(4_000), { stated: true })),
    mediaType: "audio/wav",
    fileExtension: "wav",
  },
  language: "lug",
  withSegments: false,
};

/** The service in front of both servers. */
const serve = async (task: TaskName): Promise<() => Promise<Response>> => {
  const { endpoints, request }: ModelTaskRequest = tasks[task];
  const service: LoopbackServer = await serveStreaming(endpoints(both()));
  onTestFinished(() => service.close());
  const { path, body, headers } = await request();
  const bytes = body instanceof Uint8Array ? body : undefined;
  return () =>
    fetch(service.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: bytes ? new Uint8Array(bytes) : JSON.stringify(body),
    });
};

const outcomeOf = async (response: Response) => {
  await response.arrayBuffer();
  return { status: response.status, server: response.headers.get("x-model-server") };
};

const repliedBy = (server: string) => ({ status: 200, server });

const inEveryTask = <Fault extends object>(faults: readonly Fault[]) =>
  faults.flatMap((fault) => everyTask.map((task) => ({ ...fault, task })));

describe("with two servers, a request", () => {
  it.each(everyTask)("of %s goes to the first one, and its response says so", async (task) => {
    for (const server of [gpu, hosted]) server.behave(works[task]);
    const send = await serve(task);
    expect(await outcomeOf(await send())).toEqual(repliedBy("gpu"));
    expect(gpu.received[0]?.headers.authorization).toBe("Bearer key of gpu");
    expect(hosted.received).toEqual([]);
  });

  it.each(
    inEveryTask([
      { fault: "breaks connections", behaviour: resetting },
      { fault: "is silent", behaviour: hanging },
      { fault: "refuses our key with 401", behaviour: responding(401, { detail: "no" }) },
      { fault: "refuses our key with 403", behaviour: responding(403, { detail: "no" }) },
      { fault: "is busy", behaviour: responding(429, { detail: "slow down" }) },
      { fault: "is out of credit", behaviour: responding(402, { detail: "no" }) },
      { fault: "has no such model", behaviour: responding(404, { detail: "no" }) },
      { fault: "returns 409", behaviour: responding(409, { detail: "no" }) },
      { fault: "returns 500", behaviour: responding(500, { detail: "no" }) },
      { fault: "returns 502", behaviour: responding(502, "no") },
      { fault: "returns 503", behaviour: responding(503, "no") },
      { fault: "returns 504", behaviour: responding(504, "no") },
    ]),
  )("of $task goes to the next one when the first $fault, once", async ({ task, behaviour }) => {
    gpu.behave(behaviour);
    hosted.behave(works[task]);
    const send = await serve(task);
    expect(await outcomeOf(await send())).toEqual(repliedBy("hosted"));
    // The connection on which the models were listed is tried once more.
    expect(gpu.received.length).toBeLessThanOrEqual(behaviour === resetting ? 2 : 1);
    expect(hosted.received).toHaveLength(1);
    expect(hosted.received[0]?.headers.authorization).toBe("Bearer key of hosted");
  });

  it.each(everyTask)("of %s goes to the next one when there is no first one", async (task) => {
    await gpu.close();
    hosted.behave(works[task]);
    const send = await serve(task);
    for (let count = 0; count < 7; count += 1) {
      expect(await outcomeOf(await send())).toEqual(repliedBy("hosted"));
    }
    expect(hosted.received).toHaveLength(7);
  });

  it.each(inEveryTask([400, 413, 422].map((status) => ({ status }))))(
    "of $task that the first one refuses with $status goes to no other",
    async ({ task, status }) => {
      const isTooLong = status === 413 && task !== "speech" && task !== "transcription";
      gpu.behave(responding(status, { detail: "no" }));
      hosted.behave(works[task]);
      const send = await serve(task);
      expect(await outcomeOf(await send())).toEqual({ status: isTooLong ? 400 : 502, server: null });
      expect(gpu.received).toHaveLength(1);
      expect(hosted.received).toEqual([]);
    },
  );

  it.each(everyTask)("of %s to which no server replies reports the last failure", async (task) => {
    gpu.behave(responding(503, "no"));
    hosted.behave(responding(429, "slow down"));
    const send = await serve(task);
    const response = await send();
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await outcomeOf(response)).toEqual({ status: 503, server: null });
    expect([gpu.received.length, hosted.received.length]).toEqual([1, 1]);
  });

  it.each(everyTask)("of %s is logged with the server that replied, and counted once", async (task) => {
    const info = vi.spyOn(logger, "info");
    gpu.behave(responding(500, "no"));
    hosted.behave(works[task]);
    const send = await serve(task);
    await outcomeOf(await send());
    await vi.waitFor(() => expect(info).toHaveBeenCalledWith("request.answered", expect.anything()));
    const line = info.mock.calls.find(([event]) => event === "request.answered")?.[1] ?? {};
    const of = task === "streamed chat" ? "chat" : task;
    expect(line).toMatchObject({
      model_server: "hosted",
      server_error: 0,
      [`${of}_milliseconds`]: expect.any(Number),
      [`${of}_gpu_milliseconds`]: expect.any(Number),
      [`${of}_gpu_failures`]: 1,
      [`${of}_hosted_milliseconds`]: expect.any(Number),
    });
    expect(line).not.toHaveProperty(`${of}_failures`);
    expect(line).not.toHaveProperty(`${of}_hosted_failures`);
  });
});

describe("a server that hangs", () => {
  it.each(everyTask)("costs %s one timeout, and not one for each request", async (task) => {
    gpu.behave(hanging);
    hosted.behave(works[task]);
    const send = await serve(task);
    const times: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      const startedAt = performance.now();
      expect(await outcomeOf(await send())).toEqual(repliedBy("hosted"));
      times.push(performance.now() - startedAt);
    }
    expect(gpu.received).toHaveLength(1);
    expect(times.filter((time) => time >= silenceMilliseconds)).toHaveLength(1);
  });
});

describe("a response that has started", () => {
  it("of chat is not restarted by another server", async () => {
    gpu.behave(streamingThenBreaking(role, delta("Oli ")));
    hosted.behave(works["streamed chat"]);
    const response = await (await serve("streamed chat"))();
    expect(response.headers.get("x-model-server")).toBe("gpu");
    const text = await response.text();
    expect(text).toContain('"content":"Oli "');
    expect(text).toContain('"error"');
    expect(hosted.received).toEqual([]);
  });

  it("of speech is not restarted by another server", async () => {
    gpu.behave((response) => {
      response.writeHead(200, { "Content-Type": "audio/wav" });
      const breakOff = () => setTimeout(() => response.socket?.resetAndDestroy(), 50);
      response.write(wavFile(audioBytes(4_000)), breakOff);
    });
    hosted.behave(works.speech);
    const synthesizer = createOpenAiSynthesizer(both());
    const request = { text: "Oli otya?", voice: "salt_lug_0001", language: "lug", sampling: {} };
    const { audio } = await synthesizer.synthesize(request, unlimited());
    await expect(readAll(audio)).rejects.toMatchObject({
      message: expect.stringContaining("ended the speech early"),
    });
    expect(hosted.received).toEqual([]);
  });

  const started = { type: "transcript.text.delta", delta: "Wasuze" };
  it.each([
    ["that breaks off", [], true],
    ["that then reports that the model is loading", [{ error: { message: "Loading model" } }], false],
  ])("of transcription %s is not restarted by another server", async (_how, events, isCut) => {
    gpu.behave((response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (const event of [started, ...events]) response.write(`data: ${JSON.stringify(event)}\n\n`);
      if (isCut) setTimeout(() => response.destroy(), 20);
      else response.end();
    });
    hosted.behave(works.transcription);
    const texts: string[] = [];
    const transcriber = createOpenAiTranscriber(both());
    const options = { ...unlimited(), onText: (text: string) => texts.push(text) };
    await expect(transcriber.transcribe(recordingRequest, options)).rejects.toThrow();
    expect(texts).toEqual(["Wasuze"]);
    expect(hosted.received).toEqual([]);
  });

  it("of transcription is sought at another server as long as no text has come", async () => {
    gpu.behave((response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ error: { message: "Loading model" } })}\n\n`);
    });
    hosted.behave(works.transcription);
    const texts: string[] = [];
    const transcriber = createOpenAiTranscriber(both());
    const options = { ...unlimited(), onText: (text: string) => texts.push(text) };
    expect(await transcriber.transcribe(recordingRequest, options)).toMatchObject({
      text: "Wasuze otya nno?",
    });
    expect(texts).toEqual(["Wasuze otya nno?"]);
  });
});
