import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeAudioEvents } from "../../../functions/legacy/fixed-speaker-speech.ts";
import { createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { legacyInMemory } from "../../support/legacy.ts";
import { unlimited } from "../../support/unlimited.ts";

const post = (path: string, body: object, legacy = legacyInMemory()) => legacy.send({ path, body });

describe("the six speakers of version 1", () => {
  it.each([
    [241, "salt_ach_0001"],
    [242, "salt_teo_0001"],
    [243, "salt_nyn_0001"],
    [246, "waxal_swa_0006"],
    [248, "salt_lug_0001"],
    [undefined, "salt_lug_0001"],
  ])("speak with a voice of the catalogue: %s with %s", async (speaker_id, voice) => {
    for (const path of ["/tasks/tts", "/tasks/modal/tts", "/tasks/runpod/tts", "/tasks/modal/tts-alt"]) {
      const legacy = legacyInMemory();
      expect(await post(path, { text: "Oli otya?", speaker_id }, legacy)).toMatchObject({ status: 200 });
      expect(legacy.synthesize.mock.calls[0]?.[0]).toMatchObject({ text: "Oli otya?", voice });
    }
  });

  it("have one less: Lugbara has no voice now, and the message names the others", async () => {
    const legacy = legacyInMemory();
    const response = await post("/tasks/tts", { text: "Mi ngoni?", speaker_id: 245 }, legacy);
    expect(response).toMatchObject({
      status: 400,
      headers: { Deprecation: "@1780272000" },
      body: { error: { code: "no_speaker_for_language", param: "speaker_id" } },
    });
    expect(response.body.detail).toContain("Lugbara");
    expect(response.body.detail).toContain("248 (Luganda)");
    expect(response.body.error.supported_speaker_ids).toEqual([241, 242, 243, 246, 248]);
    expect(legacy.synthesize).not.toHaveBeenCalled();
  });
});

describe("POST /tasks/tts", () => {
  it("returns the audio and its location", async () => {
    const { body } = await post("/tasks/tts", { text: " Oli otya? " });
    expect(body.output).toMatchObject({
      audio_url: expect.stringContaining(body.output.blob),
      blob: expect.stringMatching(/^speech\/.+\.wav$/),
      sample_rate: 24_000,
      duration_seconds: 0.9,
      format: "wav",
      speaker_id: 248,
      processing_time: expect.any(Number),
    });
  });

  it.each([
    [{}, { temperature: undefined, maxTokens: undefined }],
    [
      { temperature: 0.7, max_new_audio_tokens: 2_000 },
      { temperature: 0.7, maxTokens: 2_000 },
    ],
    [{ max_new_audio_tokens: 1 }, { maxTokens: 64 }],
    [{ max_new_audio_tokens: 100_000 }, { maxTokens: 4_096 }],
  ])("passes %j on, as far as the model takes it", async (parameters, sampling) => {
    const legacy = legacyInMemory();
    await post("/tasks/tts", { text: "Oli otya?", ...parameters }, legacy);
    expect(legacy.synthesize.mock.calls[0]?.[0].sampling).toMatchObject(sampling);
  });

  it.each(["", "  ", "x".repeat(10_001)])(
    "refuses a text without end or beginning with 400",
    async (text) => {
      expect(await post("/tasks/tts", { text })).toMatchObject({
        status: 400,
        body: { error: { code: "bad_request", param: "text" } },
      });
    },
  );
});

describe("POST /tasks/modal/tts", () => {
  it("estimates the duration at 150 words a minute", async () => {
    const { body } = await post("/tasks/modal/tts", { text: "one two  three four five", speaker_id: 246 });
    expect(body).toEqual({
      success: true,
      audio_url: expect.stringContaining(body.file_name),
      expires_at: expect.any(String),
      file_name: expect.stringMatching(/^speech\/.+\.wav$/),
      duration_estimate_seconds: 2,
      text_length: 24,
      speaker_id: 246,
      speaker_name: "Swahili (male)",
    });
  });
});

describe("streamed speech of the fixed speakers", () => {
  beforeEach(stubStreamingRuntime);
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  const stream = async (path: string, body: object) => {
    const legacy = legacyInMemory();
    const handler = createStreamingHandler(legacy.endpoints, {
      limiter: unlimited,
      verifyBearer: async () => ({ userId: 7, tokenId: "t", tokenEpoch: 0 }),
    });
    const event = lambdaEvent({
      path,
      headers: { "Content-Type": "application/json", Authorization: "Bearer right" },
      body: JSON.stringify({ text: "Habari yako?", speaker_id: 246, ...body }),
    });
    return { ...(await invokeStreaming(handler, event, lambdaContext())), objects: legacy.objects };
  };
  const speakerHeaders = { "X-Speaker-ID": "246", "X-Speaker-Name": "Swahili (male)", "X-Text-Length": "12" };

  it.each([
    ["/tasks/modal/tts", { response_mode: "stream" }],
    ["/tasks/modal/tts-alt", { response_mode: "stream" }],
    ["/tasks/modal/tts/stream", {}],
    ["/tasks/modal/tts/stream", { response_mode: "both" }],
  ])("is a WAV file at %s with %j, and is not stored", async (path, mode) => {
    const { status, headers, body, objects } = await stream(path, mode);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...speakerHeaders,
      "Content-Type": "audio/wav",
      "X-Sample-Rate": "24000",
      "Content-Disposition": 'attachment; filename="tts_output.wav"',
      Deprecation: "@1780272000",
    });
    expect(body.startsWith("RIFF")).toBe(true);
    expect(objects.size).toBe(0);
  });

  it.each([
    ["/tasks/modal/tts", { response_mode: "both" }],
    ["/tasks/modal/tts-alt", { response_mode: "both" }],
    ["/tasks/modal/tts/stream-with-url", {}],
    ["/tasks/modal/tts/stream-with-url", { response_mode: "url" }],
  ])("comes in events at %s with %j, and is stored", async (path, mode) => {
    const { status, headers, body, objects } = await stream(path, mode);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...speakerHeaders,
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-cache, no-transform",
    });
    const last = JSON.parse(body.trim().split("\n\n").at(-1)?.slice("data: ".length) ?? "");
    expect(last).toMatchObject({ event: "complete", total_bytes: objects.get(last.file_name)?.length });
  });
});

describe("speech in events", () => {
  const link = { url: "https://storage.example.com/x", expiresAt: new Date("2026-11-20T12:00:00Z") };
  const eventsOf = async (pieces: AsyncIterable<Uint8Array>) => {
    const frames: string[] = [];
    const stream = { pieces, link, objectKey: "speech/x.wav", sampleRate: 24_000, headers: {} };
    for await (const frame of writeAudioEvents(stream)) frames.push(frame);
    expect(frames.every((frame) => frame.startsWith("data: {") && frame.endsWith("}\n\n"))).toBe(true);
    return frames.map((frame) => JSON.parse(frame.slice("data: ".length)));
  };

  it("ends with the link and the number of bytes", async () => {
    const events = await eventsOf(
      (async function* () {
        yield Buffer.from("abc");
        yield Buffer.from("de");
      })(),
    );
    expect(events).toEqual([
      { event: "audio_chunk", data: "YWJj", bytes: 3 },
      { event: "audio_chunk", data: "ZGU=", bytes: 2 },
      {
        event: "complete",
        audio_url: link.url,
        expires_at: "2026-11-20T12:00:00.000Z",
        file_name: "speech/x.wav",
        total_bytes: 5,
      },
    ]);
  });

  it("ends with an error when the speech breaks off, and says nothing of what is inside", async () => {
    const breakingOff = async function* (error: Error) {
      yield Buffer.from("abc");
      throw error;
    };
    const known = new AppError("external_service_error", { message: "The model's server broke off." });
    expect((await eventsOf(breakingOff(known))).at(-1)).toEqual({
      event: "error",
      error: "The model's server broke off.",
    });
    const [, last] = await eventsOf(breakingOff(new Error("secret detail")));
    expect(last).toMatchObject({ event: "error", error: expect.not.stringContaining("secret") });
  });
});

describe("the voice model's routes", () => {
  it("respond with their old shapes", async () => {
    const legacy = legacyInMemory();
    const item = { text: "Oli otya?", speaker_id: "salt_nyn_0001", language: "nyn", seed: 7, top_p: 0.9 };
    const { body } = await post("/tasks/modal/orpheus/tts", item, legacy);
    expect(body).toEqual({
      audio_url: expect.stringContaining(body.gcs_object),
      audio_url_expires_at: expect.any(String),
      speaker_id: "salt_nyn_0001",
      language: "nyn",
      sample_rate: 24_000,
      duration_seconds: 0.9,
      chunks: null,
      audio_size_bytes: legacy.objects.get(body.gcs_object)?.length,
      gcs_object: expect.stringMatching(/^speech\//),
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      timings_ms: expect.objectContaining({
        total_ms: expect.any(Number),
        signed_url_ms: expect.any(Number),
      }),
    });
    expect(legacy.synthesize.mock.calls[0]?.[0]).toMatchObject({ sampling: { seed: 7, topP: 0.9 } });
  });

  it("choose Luganda's first voice by default", async () => {
    expect(await post("/tasks/modal/orpheus/tts", { text: "Oli otya?" })).toMatchObject({
      body: { speaker_id: "salt_lug_0001" },
    });
  });

  it("take up to 16 texts at once", async () => {
    const items = (count: number) => ({
      items: Array.from({ length: count }, () => ({ text: "Oli otya?" })),
    });
    const { body } = await post("/tasks/modal/orpheus/tts/batch", items(16));
    expect(body.results).toHaveLength(16);
    expect(Object.keys(body).toSorted()).toEqual(["request_id", "results", "timings_ms"]);
    expect(body.results[15]).toMatchObject({ index: 15, status: "ok", speaker_id: "salt_lug_0001" });
    expect(body.results[15].gcs_object).toMatch(/^speech\//);
    expect(body.results[15]).not.toHaveProperty("voice");
    expect(await post("/tasks/modal/orpheus/tts/batch", items(17))).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request", param: "items" } },
    });
    expect((await post("/tasks/modal/orpheus/tts/batch", items(129))).status).toBe(422);
  });

  it("list the voices", async () => {
    const { send } = legacyInMemory();
    const all = await send({ method: "GET", path: "/tasks/modal/orpheus/speakers" });
    expect(all.body).toMatchObject({ default: "salt_lug_0001", total: 48 });
    const path = "/tasks/modal/orpheus/speakers/{language}";
    const some = await send({ method: "GET", path, pathParameters: { language: "swa" } });
    expect(some.body).toEqual({ language: "swa", speakers: ["waxal_swa_0006", "waxal_swa_0007"], count: 2 });
    expect(await send({ method: "GET", path, pathParameters: { language: "fra" } })).toMatchObject({
      status: 400,
    });
  });
});
