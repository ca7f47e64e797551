import { describe, expect, it, onTestFinished, vi } from "vitest";
import { speechResponse } from "../../../functions/speech/speech-results.ts";
import { readWavHeader } from "../../../shared/audio/wav/wav-header.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { type RequestScope, requestScope } from "../../../shared/platform/telemetry/request-scope.ts";
import { linkExpiresAt, speechInMemory } from "../../support/fake-speech.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const setup = () => {
  const memory = speechInMemory();
  const post = (body: object) =>
    send(memory.endpoints, { path: "/tasks/audio/speech", body, authorizer: authorizedCaller });
  return { ...memory, post };
};
const text = "Wasuze otya nno?";

describe("the time that speech may take", () => {
  it("ends before the function does, so that what was started can be removed", async () => {
    const { post, synthesize } = setup();
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
    onTestFinished(() => timeout.mockRestore());
    await post({ text });
    expect(timeout).toHaveBeenCalledWith((300 - 10) * 1_000);
    const signal = synthesize.mock.calls[0]?.[1].signal;
    expect(signal?.aborted).toBe(false);
    limit.abort();
    expect(signal?.aborted).toBe(true);
  });
});

describe("POST /tasks/audio/speech", () => {
  it("returns a link to the stored audio and its facts", async () => {
    const { post, objects, store } = setup();
    const { status, body } = await post({ text: `  ${text} ` });
    expect(status).toBe(200);
    expect(speechResponse.parse(body)).toEqual(body);
    const stored = objects.get(body.storage_object);
    expect(body).toMatchObject({
      audio_url: `https://storage.example.com/${body.storage_object}?signature`,
      model: "tts-1",
      platform: "the-platform",
      voice: "salt_lug_0001",
      language: "lug",
      sample_rate: 24_000,
      duration_seconds: 1.6,
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      audio_url_expires_at: linkExpiresAt.toISOString(),
      usage: { input_characters: 16, output_audio_bytes: stored?.length, duration_seconds: 1.6 },
    });
    expect(body.storage_object).toMatch(
      new RegExp(`^speech/\\d{4}-\\d{2}-\\d{2}/${authorizedCaller.userId}/${body.request_id}\\.wav$`),
    );
    expect(store.write).toHaveBeenCalledWith(body.storage_object, { contentType: "audio/wav" });
    expect(store.signDownload).toHaveBeenCalledWith(body.storage_object, {
      contentType: "audio/wav",
      fileName: "speech.wav",
    });
    const { total_ms: total, ...steps } = body.timings_ms;
    for (const step of Object.values<number>(steps)) expect(step).toBeLessThanOrEqual(total);
    expect(readWavHeader(stored ?? Buffer.alloc(0))).toMatchObject({ dataBytes: 1.6 * 48_000 });
  });

  it("counts the model's time until the last of the audio as time spent waiting for a model", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { post, synthesize } = setup();
    let scope: RequestScope | undefined;
    const speak = synthesize.getMockImplementation();
    synthesize.mockImplementation(async (...requested) => {
      scope = requestScope();
      const speech = await speak?.(...requested);
      if (!speech) throw new Error("The synthesizer of the test says nothing.");
      const slowly = async function* () {
        for await (const piece of speech.audio) {
          vi.advanceTimersByTime(4_000);
          yield piece;
        }
        vi.advanceTimersByTime(500);
      };
      return { ...speech, audio: slowly() };
    });
    const { body } = await post({ text });
    expect(body.timings_ms.inference_ms).toBeGreaterThanOrEqual(4_000);
    expect(scope?.upstreamMilliseconds).toBe(body.timings_ms.inference_ms);
  });

  it("asks the model for the voice of the language, and only for settings it was given", async () => {
    const { post, synthesize } = setup();
    await post({ text, language: " SWA ", temperature: 0.2, seed: 7, top_p: null });
    expect(synthesize).toHaveBeenCalledWith(
      {
        text,
        voice: "waxal_swa_0006",
        language: "swa",
        hasNamedVoice: false,
        sampling: {
          temperature: 0.2,
          topP: undefined,
          repetitionPenalty: undefined,
          maxTokens: undefined,
          seed: 7,
        },
      },
      { signal: expect.any(AbortSignal) },
    );
  });

  it.each([
    [{}, "salt_lug_0001", "lug"],
    [{ voice: null, language: null }, "salt_lug_0001", "lug"],
    [{ language: "eng" }, "salt_eng_0001", "eng"],
    [{ language: "teo" }, "salt_teo_0001", "teo"],
    [{ voice: "waxal_luo_0003" }, "waxal_luo_0003", "luo"],
    [{ voice: "waxal_luo_0003", language: "LUO" }, "waxal_luo_0003", "luo"],
  ])("chooses with %j the voice %s", async (choice, voice, language) => {
    const { post } = setup();
    expect((await post({ text, ...choice })).body).toMatchObject({ voice, language });
  });

  it.each([
    [{ voice: "salt_lug_9999" }, "invalid_speaker", "voice"],
    [{ voice: "" }, "invalid_speaker", "voice"],
    [{ language: "fra" }, "unknown_language", "language"],
    [{ language: "" }, "unknown_language", "language"],
    [{ language: "French" }, "unknown_language", "language"],
    [{ voice: "salt_lug_0001", language: "fra" }, "unknown_language", "language"],
    [{ voice: "salt_lug_0001", language: "eng" }, "invalid_speaker_for_language", "voice"],
    [{ voice: "salt_lug_0001", language: "lgg" }, "invalid_speaker_for_language", "voice"],
    [{ language: "lgg" }, "no_speaker_for_language", "language"],
    [{ language: "sot" }, "no_speaker_for_language", "language"],
    [{ language: "tsn" }, "no_speaker_for_language", "language"],
  ])("refuses %j without asking the model", async (choice, code, param) => {
    const { post, synthesize } = setup();
    expect(await post({ text, ...choice })).toMatchObject({ status: 400, body: { error: { code, param } } });
    expect(synthesize).not.toHaveBeenCalled();
  });

  it.each(["voice", "language"])("does not send back a %s that is no name", async (field) => {
    const { post } = setup();
    expect(await post({ text, [field]: "x".repeat(101) })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", field], type: "string_too_long" }] },
    });
    const longest = await post({ text, [field]: "x".repeat(100) });
    expect(longest.status).toBe(400);
    expect(longest.body.detail.length).toBeLessThan(400);
  });

  it("says in an error what there is to choose from", async () => {
    const { post } = setup();
    const unknown = (await post({ text, language: "fra" })).body;
    expect(unknown.error.supported_languages).toHaveLength(17);
    expect(unknown.error.supported_languages[0]).toEqual({ code: "ach", name: "Acholi" });
    expect(unknown.detail).toContain("ach, afr, eng, ewe");
    expect((await post({ text, voice: "x" })).body.error.supported_voices).toHaveLength(48);
    const other = (await post({ text, voice: "salt_lug_0001", language: "swa" })).body;
    expect(other.error.supported_voices).toEqual(["waxal_swa_0006", "waxal_swa_0007"]);
  });

  it.each([
    [{ text: "" }, "text", "string_too_short"],
    [{ text: " \n " }, "text", "string_too_short"],
    [{ text: "x".repeat(5_001) }, "text", "string_too_long"],
    [{ text: undefined }, "text", "missing"],
    [{ text: 5 }, "text", "string_type"],
    [{ text: "\ud83d" }, "text", "string_unicode"],
    [{ voice: 1 }, "voice", "string_type"],
    [{ response_mode: "base64" }, "response_mode", "enum"],
    [{ temperature: -0.1 }, "temperature", "greater_than_equal"],
    [{ temperature: 2.1 }, "temperature", "less_than_equal"],
    [{ top_p: 0 }, "top_p", "greater_than"],
    [{ top_p: 1.01 }, "top_p", "less_than_equal"],
    [{ repetition_penalty: 0.9 }, "repetition_penalty", "greater_than_equal"],
    [{ repetition_penalty: 2.1 }, "repetition_penalty", "less_than_equal"],
    [{ max_tokens: 63 }, "max_tokens", "greater_than_equal"],
    [{ max_tokens: 4_097 }, "max_tokens", "less_than_equal"],
    [{ max_tokens: 100.5 }, "max_tokens", "int_from_float"],
    [{ seed: 0.5 }, "seed", "int_from_float"],
    [{ model: "tts-1" }, "model", "extra_forbidden"],
    [{ model: null }, "model", "extra_forbidden"],
    [{ platform: "modal" }, "platform", "extra_forbidden"],
    [{ max_new_audio_tokens: 2_000 }, "max_new_audio_tokens", "extra_forbidden"],
  ])("names what is wrong with %j", async (change, field, type) => {
    const { post, synthesize } = setup();
    const { status, body } = await post({ text, ...change });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ["body", field], type }]);
    expect(synthesize).not.toHaveBeenCalled();
  });

  it("takes all values at their bounds, and fields it does not know", async () => {
    const { post, synthesize } = setup();
    const low = { temperature: 0, top_p: 0.01, repetition_penalty: 1, max_tokens: 64, seed: -1 };
    const high = { temperature: 2, top_p: 1, repetition_penalty: 2, max_tokens: 4_096, speed: 2 };
    expect(await post({ text, ...low })).toMatchObject({ status: 200 });
    expect(await post({ text, ...high })).toMatchObject({ status: 200 });
    expect(synthesize.mock.calls.map(([{ sampling }]) => sampling)).toEqual([
      { temperature: 0, topP: 0.01, repetitionPenalty: 1, maxTokens: 64, seed: -1 },
      { temperature: 2, topP: 1, repetitionPenalty: 2, maxTokens: 4_096, seed: undefined },
    ]);
  });

  it("counts characters, not UTF-16 units: 5,000 letters of Adlam are not too many", async () => {
    const { post } = setup();
    const adlam = "\u{1E900}".repeat(5_000);
    expect(await post({ text: adlam })).toMatchObject({
      status: 200,
      body: { usage: { input_characters: 5_000 } },
    });
    expect(await post({ text: `${adlam}\u{1E900}` })).toMatchObject({ status: 422 });
  });

  it.each([
    ["service_unavailable", 503],
    ["external_service_error", 502],
  ] as const)("passes on the model's %s as %i", async (code, status) => {
    const { post, synthesize, objects } = setup();
    synthesize.mockRejectedValue(new AppError(code, { retryAfterSeconds: 30 }));
    expect(await post({ text })).toMatchObject({ status, body: { error: { code } } });
    expect(objects.size).toBe(0);
  });
});
