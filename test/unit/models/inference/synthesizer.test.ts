import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Speech } from "../../../../shared/audio/wav/streamed-wav.ts";
import { createOpenAiSynthesizer } from "../../../../shared/models/inference/openai/synthesizer.ts";
import type { SpeechRequest } from "../../../../shared/models/inference/speech.ts";
import {
  type Behaviour,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const request: SpeechRequest = {
  text: "Wasuze otya nno?",
  voice: "salt_lug_0001",
  language: undefined,
  sampling: {},
};

const synthesize = (
  overrides: Partial<SpeechRequest> = {},
  { signal = new AbortController().signal, silenceMilliseconds = 500 } = {},
): Promise<Speech> =>
  createOpenAiSynthesizer([
    modelServer({ baseUrl: backend.baseUrl, apiKey: async () => "the-key", silenceMilliseconds }, "tts-1"),
  ]).synthesize({ ...request, ...overrides }, { signal });

const read = async ({ audio }: Speech): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of audio) pieces.push(piece);
  return Buffer.concat(pieces);
};

const begin = (response: ServerResponse, ...pieces: (Buffer | string)[]): void => {
  response.writeHead(200, { "Content-Type": "audio/wav" });
  for (const piece of pieces) response.write(piece);
};

/** Sends these pieces, each in a packet of its own, and ends. */
const sending =
  (...pieces: Buffer[]): Behaviour =>
  async (response) => {
    begin(response);
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  };

const audio = audioBytes(4_800);

describe("speech through a server of the OpenAI API", () => {
  it("is requested as WAV, with only those settings that the caller set", async () => {
    backend.behave(sending(wavFile(audio)));
    await read(await synthesize());
    const [received] = backend.received;
    expect(received).toMatchObject({
      path: "/v1/audio/speech",
      headers: { authorization: "Bearer the-key" },
    });
    expect(JSON.parse(received?.body ?? "")).toEqual({
      model: "tts-1",
      input: "Wasuze otya nno?",
      voice: "salt_lug_0001",
      response_format: "wav",
    });
  });

  it("takes every setting along", async () => {
    backend.behave(sending(wavFile(audio)));
    const sampling = { temperature: 0, topP: 0.5, repetitionPenalty: 1.2, maxTokens: 64, seed: -3 };
    await read(await synthesize({ language: "lug", sampling }));
    expect(JSON.parse(backend.received[0]?.body ?? "")).toMatchObject({
      language: "lug",
      temperature: 0,
      top_p: 0.5,
      repetition_penalty: 1.2,
      max_tokens: 64,
      seed: -3,
    });
  });

  it("arrives whole, however the server cuts it", async () => {
    const file = wavFile(audio, { comment: "Wasuze otya nno?", sampleRate: 22_050 });
    backend.behave(
      sending(file.subarray(0, 3), file.subarray(3, 50), file.subarray(50, 101), file.subarray(101)),
    );
    const speech = await synthesize();
    expect(speech.header).toMatchObject({ format: { sampleRate: 22_050 }, audioBytes: undefined });
    expect(Buffer.concat([speech.header.bytes, await read(speech)]).equals(file)).toBe(true);
  });

  it.each([0x7f_00_00_00, 0x7f_ff_ff_ff, 0xff_ff_ff_ff])(
    "is of unknown length where the server states the largest number it knows (%i)",
    async (stated) => {
      backend.behave(sending(wavFile(audio, { stated })));
      const speech = await synthesize();
      expect(speech.header.audioBytes).toBeUndefined();
      expect((await read(speech)).equals(audio)).toBe(true);
    },
  );

  it("is of the length that the server states, where that can be true", async () => {
    backend.behave(sending(wavFile(audio, { stated: true })));
    const speech = await synthesize();
    expect(speech.header.audioBytes).toBe(audio.length);
    await read(speech);
    backend.behave(sending(wavHeaderBytes(0, { stated: 0x7e_ff_ff_ff })));
    const endless = await synthesize();
    expect(endless.header.audioBytes).toBe(0x7e_ff_ff_ff);
    endless.cancel();
  });

  it.each([
    ["of a short text", "Oli otya?"],
    ["whose header names a very high rate", "Oli otya?", 384_000],
    ["of a text of figures", "1".repeat(20)],
  ])("is ended when it continues for ever: %s", async (_case, text, sampleRate = 24_000) => {
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    backend.behave((response) => {
      response.once("close", closed);
      begin(response, wavHeaderBytes(0, { sampleRate }));
      const piece = Buffer.alloc(1_000_000);
      const goOn = () => {
        while (!response.destroyed && response.write(piece)) {}
      };
      response.on("drain", goOn);
      goOn();
    });
    await expect(read(await synthesize({ text }))).rejects.toMatchObject({
      code: "external_service_error",
      message: "The model returned more audio than the text can need.",
    });
    await isClosed;
  });

  it("may be as long as figures are when they are read out", async () => {
    const long = Buffer.alloc(24_000 * 2 * 40);
    backend.behave(sending(wavHeaderBytes(0), long));
    expect((await read(await synthesize({ text: "7".repeat(20) }))).length).toBe(long.length);
  });

  it("comes without empty pieces, also when the header came alone", async () => {
    backend.behave(sending(wavHeaderBytes(0), audio));
    const speech = await synthesize();
    for await (const piece of speech.audio) expect(piece.length).toBeGreaterThan(0);
  });

  it("is not ready when the server says so, in pieces with status 200 or with another", async () => {
    backend.behave(sending(Buffer.from('{"error": "Loading'), Buffer.from(' model"}')));
    await expect(synthesize()).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 30 });
    backend.behave(responding(500, { error: "Loading model" }));
    await expect(synthesize()).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 30 });
  });

  it("is given up when its header comes drop by drop, without an end", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    backend.behave((response) => {
      begin(response, wavHeaderBytes(0).subarray(0, 12));
      const timer = setInterval(() => response.write("JUNK\u0004\0\0\0abcd"), 10);
      response.once("close", () => {
        clearInterval(timer);
        resolve();
      });
    });
    await expect(synthesize({}, { silenceMilliseconds: 300 })).rejects.toMatchObject({
      code: "service_unavailable",
    });
    await closed;
  });

  it("starts before its end is synthesised", async () => {
    let finish = () => {};
    backend.behave((response) => {
      begin(response, wavHeaderBytes(0), audio);
      finish = () => response.end(audio);
    });
    const pieces = (await synthesize()).audio[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value ?? []).length).toBeGreaterThan(0);
    finish();
    while (!(await pieces.next()).done) {}
  });

  it("is not broken off because its reader is slow", async () => {
    backend.behave(sending(wavHeaderBytes(0), audio, audio));
    const pieces = (await synthesize({}, { silenceMilliseconds: 100 })).audio[Symbol.asyncIterator]();
    let received = (await pieces.next()).value?.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 250));
    for (let next = await pieces.next(); !next.done; next = await pieces.next())
      received += next.value.length;
    expect(received).toBe(2 * audio.length);
  });

  it("is tried for once more when the server is not ready, unseen by the caller", async () => {
    backend.behave(responding(503, "busy"), sending(wavFile(audio)));
    expect(await read(await synthesize())).toEqual(audio);
    expect(backend.received).toHaveLength(2);
  });

  const audioHead = { "Content-Type": "audio/wav" };
  it.each<[string, Behaviour, string]>([
    ["returns 503 again and again", responding(503, "no"), "service_unavailable"],
    ["breaks every connection", resetting, "service_unavailable"],
    ["says nothing", hanging, "service_unavailable"],
    ["says nothing after its headers", (response) => begin(response, ""), "service_unavailable"],
    [
      "says nothing in the middle of the header",
      (response) => begin(response, "RIFF"),
      "service_unavailable",
    ],
    ["is loading, inside a 200", responding(200, { error: "Model is loading" }), "service_unavailable"],
    ["calls its excuse audio", responding(200, { error: "Loading model" }, audioHead), "service_unavailable"],
    ["is busy", responding(429, { error: { message: "Too many requests" } }), "service_unavailable"],
    ["fails", responding(500, "Internal Server Error"), "external_service_error"],
    ["refuses the voice", responding(400, { error: { message: "no such voice" } }), "external_service_error"],
    ["does not know the route", responding(404, { detail: "Not Found" }), "external_service_error"],
    ["reports an error inside a 200", responding(200, { error: "CUDA" }), "external_service_error"],
    ["sends nothing", responding(200, "", audioHead), "external_service_error"],
    ["sends a page", responding(200, "<html>hello</html>"), "external_service_error"],
    ["sends MP3", responding(200, "ID3\u0004", { "Content-Type": "audio/mpeg" }), "external_service_error"],
    ["sends half a header", responding(200, "RIFF\0\0", audioHead), "external_service_error"],
  ])("is an error when the server %s", async (_case, behaviour, code) => {
    backend.behave(behaviour);
    await expect(synthesize()).rejects.toMatchObject({ code });
  });

  it.each<[string, Behaviour]>([
    ["sends a header and no audio", sending(wavHeaderBytes(0))],
    ["sends less audio than it announced", sending(wavHeaderBytes(9_600, { stated: true }), audio)],
    [
      "breaks the connection",
      (response) => {
        begin(response, wavHeaderBytes(0), audio);
        setTimeout(() => response.destroy(), 20);
      },
    ],
    ["falls silent", (response) => begin(response, wavHeaderBytes(0), audio)],
  ])("breaks off when the server %s", async (_case, behaviour) => {
    backend.behave(behaviour);
    const speech = await synthesize();
    await expect(read(speech)).rejects.toMatchObject({ code: "external_service_error" });
  });

  it.each<[string, (speech: Speech, stop: AbortController) => unknown]>([
    ["it is cancelled before it is read", (speech) => speech.cancel()],
    [
      "its reader leaves",
      async (speech) => {
        for await (const _ of speech.audio) break;
        speech.cancel();
      },
    ],
    ["the signal says so", (_speech, stop) => stop.abort()],
  ])("is no longer made when %s", async (_case, stopReading) => {
    const gone = Promise.withResolvers<void>();
    backend.behave((response) => {
      response.once("close", () => gone.resolve());
      begin(response, wavHeaderBytes(0), audio);
    });
    const stop = new AbortController();
    const speech = await synthesize({}, { signal: stop.signal, silenceMilliseconds: 60_000 });
    await stopReading(speech, stop);
    await expect(gone.promise).resolves.toBeUndefined();
  });
});
