import { createOpenAI } from "@ai-sdk/openai";
import { experimental_generateSpeech } from "ai";
import OpenAI from "openai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  createV1SpeechOperation,
  listV1SpeechModelsOperation,
  listV1VoicesOperation,
} from "../../functions/speech/v1/contract.ts";
import {
  baseUrl,
  call,
  createAccount,
  expectDeclared,
  expectError,
  sharedAccount,
} from "../support/client.ts";
import { decodeAudio, loudness } from "../support/test-audio.ts";

let token: string;
let openai: OpenAI;
beforeAll(async () => {
  ({ token } = await sharedAccount());
  openai = new OpenAI({ apiKey: token, baseURL: `${baseUrl}/v1`, maxRetries: 0 });
});

const input = "Wasuze otya nno, ssebo?";
const speak = (body: object) =>
  call("/v1/audio/speech", { token, body: { model: "tts-1", voice: "alloy", input, ...body } });

/** What an event of a stream says. */
type SpeechEvent = { readonly type: string; readonly audio?: string; readonly usage?: object };

describe("speech through the OpenAI SDK", () => {
  it.each([
    [undefined, "mp3", "audio/mpeg"],
    ["mp3", "mp3", "audio/mpeg"],
    ["opus", "opus", "audio/ogg; codecs=opus"],
    ["wav", "wav", "audio/wav"],
    ["pcm", "pcm", "audio/pcm"],
  ] as const)("is returned in the requested format: %s", async (response_format, format, contentType) => {
    const response = await openai.audio.speech.create({
      model: "gpt-4o-mini-tts",
      voice: "alloy",
      input,
      ...(response_format ? { response_format } : {}),
    });
    expect(response.headers.get("content-type")).toBe(contentType);
    const decoded = await decodeAudio(format, Buffer.from(await response.arrayBuffer()));
    expect(decoded.samples.length / decoded.sampleRate).toBeGreaterThan(0.5);
    if (inject("isLocal")) expect(loudness(decoded)).toBeGreaterThan(0.01);
  });

  it("is sent as events on request", async () => {
    const response = await speak({ stream_format: "sse", response_format: "opus", speed: 1 });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events: SpeechEvent[] = String(response.body)
      .trim()
      .split("\n\n")
      .map((event) => JSON.parse(event.replace(/^data: /, "")));
    const last = events.pop();
    expect(last).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    });
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["speech.audio.delta"]));
    const file = Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    expect((await decodeAudio("opus", file)).samples.length).toBeGreaterThan(20_000);
  });

  it("is spoken in the language of the voice, of the request, or of the account", async () => {
    const voiceless = { language: "lgg" };
    expectError(await speak(voiceless), 400, "no_speaker_for_language");
    expectError(
      await speak({ voice: "salt_lug_0001", language: "eng" }),
      400,
      "invalid_speaker_for_language",
    );
    expect((await speak({ voice: { id: "salt_eng_0001" } })).status).toBe(200);
    expect((await speak({ voice: null, language: "Swahili" })).status).toBe(200);
    const settled = await createAccount();
    await call("/auth/profile", {
      method: "PUT",
      token: settled.token,
      body: {
        organization: "Unknown",
        organization_type: "NGO",
        sector: ["Health"],
        default_language: "lgg",
      },
    });
    const body = { model: "tts-1", voice: "alloy", input };
    expectError(
      await call("/v1/audio/speech", { token: settled.token, body }),
      400,
      "no_speaker_for_language",
    );
  });
});

describe("speech through the Vercel AI SDK", () => {
  it("is returned in the SDK's default voice and format", async () => {
    const provider = createOpenAI({ apiKey: token, baseURL: `${baseUrl}/v1` });
    const { audio } = await experimental_generateSpeech({ model: provider.speech("tts-1"), text: input });
    expect(audio.mediaType).toBe("audio/mpeg");
    const { samples, sampleRate } = await decodeAudio("mp3", audio.uint8Array);
    expect(samples.length / sampleRate).toBeGreaterThan(0.5);
  });
});

describe("an unsupported parameter", () => {
  it.each([
    [{ response_format: "flac" }, "response_format", "mp3, opus, wav, pcm"],
    [{ response_format: "aac" }, "response_format", "mp3, opus, wav, pcm"],
    [{ speed: 1.5 }, "speed", "1"],
    [{ instructions: "Whisper." }, "instructions", "Instructions"],
    [{ stream_format: "websocket" }, "stream_format", "sse"],
    [{ temperature: 1 }, "temperature", "not known"],
  ])("is refused with its name: %j", async (wrong, param, words) => {
    const response = await speak(wrong);
    expectDeclared(createV1SpeechOperation, response);
    expectError(response, 400, "unsupported_parameter");
    expect(response.body.error).toMatchObject({ param, message: expect.stringContaining(words) });
  });

  it("is a model or a voice that there is not", async () => {
    const response = await speak({ model: "whisper-1" });
    expectError(response, 404, "model_not_found");
    expect(response.body.error.param).toBe("model");
    expectError(await speak({ voice: "nobody" }), 400, "invalid_speaker");
  });

  it("is reported to the SDK in its own format", async () => {
    const refused = openai.audio.speech.create({ model: "tts-1", voice: "alloy", input, speed: 2 });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: "unsupported_parameter",
      param: "speed",
    });
  });
});

describe("what Open WebUI requests without a key", () => {
  it("are the voices and the models", async () => {
    const voices = await call("/v1/audio/voices");
    expectDeclared(listV1VoicesOperation, voices);
    expect(voices.body.voices).toHaveLength(48);
    expect(voices.body.voices).toContainEqual({ id: "salt_lug_0001", name: "Luganda (salt_lug_0001)" });
    const models = await call("/v1/audio/models");
    expectDeclared(listV1SpeechModelsOperation, models);
    expect(models.body).toEqual({ models: [{ id: "tts-20" }] });
  });
});
