import { beforeAll, describe, expect, it } from "vitest";
import {
  batchOperation,
  refreshLinkOperation,
  synthesizeOperation,
} from "../../functions/speech/contract.ts";
import { voicesOperation } from "../../functions/speech/voices-contract.ts";
import { readWavHeader, wavDuration } from "../../shared/audio/wav/wav-header.ts";
import { call, expectDeclared, expectError, request, sharedAccount } from "../support/client.ts";
import { decodeAudio, loudness } from "../support/test-audio.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const text = "Wasuze otya nno, ssebo?";
const speak = (body: object) => call("/tasks/audio/speech", { token, body });
const speakBatch = (body: object) => call("/tasks/audio/speech/batch", { token, body });
const link = (storageObject: string, bearer = token) =>
  call(`/tasks/audio/speech/url?storage_object=${encodeURIComponent(storageObject)}`, { token: bearer });

const stream = (body: object): Promise<Response> =>
  request("/tasks/audio/speech", { token, body: { text, ...body } });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** What a WAV file says about itself. */
const header = (wav: Buffer) => {
  const found = readWavHeader(wav);
  if (!found) throw new Error("This is no WAV file.");
  return found;
};

describe("POST /tasks/audio/speech", () => {
  it("returns a link to the audio", async () => {
    const response = await speak({ text });
    expectDeclared(synthesizeOperation, response);
    expect(response).toMatchObject({
      status: 200,
      body: { voice: "salt_lug_0001", language: "lug", usage: { input_characters: text.length } },
    });
    const download = await fetch(response.body.audio_url);
    const wav = await bytesOf(download);
    expect(download.headers.get("content-type")).toBe("audio/wav");
    expect(wav.length).toBe(response.body.usage.output_audio_bytes);
    const { format, dataBytes = 0 } = header(wav);
    expect(format.sampleRate).toBe(response.body.sample_rate);
    expect(wavDuration(format, dataBytes)).toBeCloseTo(response.body.duration_seconds, 2);
    expect(response.body.duration_seconds).toBeGreaterThan(0.5);
  });

  it("streams the audio", async () => {
    const response = await stream({ response_mode: "stream", voice: "salt_eng_0001" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(response.headers.get("x-audio-url")).toBeNull();
    expect(response.headers.get("x-platform")).toBeTruthy();
    expect(response.headers.get("x-usage-characters")).toBe(String([...text].length));
    const wav = await bytesOf(response);
    expect(response.headers.get("x-sample-rate")).toBe(String(header(wav).format.sampleRate));
    expect(wav.length).toBeGreaterThan(10_000);
  });

  it("streams the audio and stores it under a link at the same time", async () => {
    const response = await stream({ response_mode: "both", language: "swa" });
    expect(response.headers.get("content-type")).toBe("audio/wav");
    for (const name of ["X-Audio-Url", "X-Platform", "X-Usage-Characters", "X-Usage-Seconds"]) {
      expect(response.headers.get("access-control-expose-headers")).toContain(name);
    }
    expect(response.headers.get("x-platform")).toBeTruthy();
    expect(response.headers.get("x-usage-characters")).toBe(String([...text].length));
    const streamed = await bytesOf(response);
    const stored = await bytesOf(await fetch(response.headers.get("x-audio-url") ?? ""));
    expect(stored.length).toBe(streamed.length);
    const { dataStart, dataBytes } = header(stored);
    expect(stored.subarray(dataStart).equals(streamed.subarray(dataStart))).toBe(true);
    expect(dataBytes).toBe(stored.length - dataStart);
    const fresh = await link(response.headers.get("x-storage-object") ?? "");
    expect(fresh.status).toBe(200);
  });

  it.each([
    [{ voice: "nobody" }, "invalid_speaker"],
    [{ language: "fra" }, "unknown_language"],
    [{ voice: "salt_lug_0001", language: "eng" }, "invalid_speaker_for_language"],
    [{ language: "lgg" }, "no_speaker_for_language"],
  ])("refuses %j with 400", async (choice, code) => {
    expectError(await speak({ text, ...choice }), 400, code);
    expectError(await speak({ text, response_mode: "stream", ...choice }), 400, code);
  });

  it.each(["platform"])("refuses %s, which earlier versions took", async (name) => {
    const response = await speak({ text, [name]: "x" });
    expectDeclared(synthesizeOperation, response);
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", name], type: "extra_forbidden" }] },
    });
  });
});

/** A sentence of about three seconds. */
const sentence = "Wasuze otya nno, ssebo? Nsanyuse okukulaba wano leero.";

describe("audio_format", () => {
  it.each([
    // The first frame of a stored file says how long the audio is.
    ["mp3", "audio/mpeg", 144],
    ["opus", "audio/ogg; codecs=opus", 0],
  ] as const)("%s is streamed, and stored as the same audio", async (format, contentType, start) => {
    const response = await stream({ text: sentence, response_mode: "both", audio_format: format });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(contentType);
    expect(response.headers.get("vary")).toContain("Save-Data");
    const streamed = await bytesOf(response);
    const download = await fetch(response.headers.get("x-audio-url") ?? "");
    expect(download.headers.get("content-type")).toBe(contentType);
    const stored = await bytesOf(download);
    expect(stored.length).toBe(streamed.length);
    expect(stored.subarray(start).equals(streamed.subarray(start))).toBe(true);

    const spoken = await decodeAudio(
      "wav",
      await bytesOf(await stream({ text: sentence, response_mode: "stream" })),
    );
    const decoded = await decodeAudio(format, streamed);
    const seconds = spoken.samples.length / spoken.sampleRate;
    expect(decoded.samples.length / decoded.sampleRate).toBeGreaterThan(seconds - 0.05);
    expect(decoded.samples.length / decoded.sampleRate).toBeLessThan(seconds + 0.15);
    expect(loudness(decoded) / loudness(spoken)).toBeGreaterThan(0.8);
    expect(loudness(decoded) / loudness(spoken)).toBeLessThan(1.2);
    expect((await link(response.headers.get("x-storage-object") ?? "")).status).toBe(200);
  });

  it("makes a link to a file of that format, with its size and duration", async () => {
    const response = await speak({ text: sentence, audio_format: "mp3" });
    expectDeclared(synthesizeOperation, response);
    const download = await fetch(response.body.audio_url);
    const file = await bytesOf(download);
    expect(download.headers.get("content-type")).toBe("audio/mpeg");
    expect(file.length).toBe(response.body.usage.output_audio_bytes);
    const { samples, sampleRate } = await decodeAudio("mp3", file);
    expect(sampleRate).toBe(response.body.sample_rate);
    expect(Math.abs(samples.length / sampleRate - response.body.duration_seconds)).toBeLessThan(0.15);
  });

  it("lets a sentence of three seconds cost at most 12 kB as Opus", async () => {
    const file = await bytesOf(
      await stream({ text: sentence, response_mode: "stream", audio_format: "opus" }),
    );
    const { samples, sampleRate } = await decodeAudio("opus", file);
    const seconds = samples.length / sampleRate;
    expect(seconds).toBeGreaterThan(2.5);
    expect((file.length * 3) / seconds).toBeLessThan(12_000);
  });

  it("holds for all items of a batch", async () => {
    const response = await speakBatch({ items: [{ text }, { text: "Webale" }], audio_format: "opus" });
    expectDeclared(batchOperation, response);
    for (const { audio_url: url, audio_size_bytes: size } of response.body.results) {
      const response = await fetch(url);
      expect(response.headers.get("content-type")).toBe("audio/ogg; codecs=opus");
      expect((await bytesOf(response)).length).toBe(size);
    }
  });

  it("is Opus for a client that saves data and names none", async () => {
    const response = await call("/tasks/audio/speech", {
      token,
      body: { text },
      headers: { "Save-Data": "on" },
    });
    expect(response.body.storage_object).toMatch(/\.ogg$/);
    expect(response.headers.get("vary")).toContain("Save-Data");
    const preflight = await call("/tasks/audio/speech", { method: "OPTIONS" });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Save-Data");
  });
});

describe("POST /tasks/audio/speech/batch", () => {
  it("makes several texts into speech, in their order", async () => {
    const response = await speakBatch({
      items: [
        { text },
        { text: "Habari ya asubuhi?", language: "swa" },
        { text: "Hi", voice: "salt_eng_0002" },
      ],
    });
    expectDeclared(batchOperation, response);
    expect(response).toMatchObject({
      status: 200,
      body: {
        results: [
          { index: 0, status: "ok", language: "lug" },
          { index: 1, status: "ok", language: "swa" },
          { index: 2, status: "ok", voice: "salt_eng_0002" },
        ],
      },
    });
    for (const result of response.body.results) {
      const wav = await bytesOf(await fetch(result.audio_url));
      expect(wav.length).toBe(result.audio_size_bytes);
    }
  });

  it("names the item that is wrong", async () => {
    const response = await speakBatch({ items: [{ text }, { text, language: "sot" }] });
    expectError(response, 400, "no_speaker_for_language");
    expect(response.body.detail).toMatch(/^item index 1: /);
    expect((await speakBatch({ items: [] })).status).toBe(422);
    expect((await speakBatch({ items: Array.from({ length: 17 }, () => ({ text })) })).status).toBe(422);
  });
});

describe("GET /tasks/voice/speakers", () => {
  const list = (query = "") => call(`/tasks/voice/speakers${query}`, { token });

  it("lists 48 voices in 20 languages", async () => {
    const response = await list();
    expectDeclared(voicesOperation, response);
    expect(response.body).toMatchObject({ default: "salt_lug_0001", total: 48 });
    expect(response.body.languages).toHaveLength(20);
    expect(Object.values(response.body.by_language).flat()).toHaveLength(48);
  });
});

describe("GET /tasks/audio/speech/url", () => {
  it("returns a fresh link to the account that created the speech", async () => {
    const { body } = await speak({ text });
    const response = await link(body.storage_object);
    expectDeclared(refreshLinkOperation, response);
    expect(response).toMatchObject({ status: 200, body: { storage_object: body.storage_object } });
    expect((await bytesOf(await fetch(response.body.audio_url))).length).toBe(body.usage.output_audio_bytes);
  });

  it("needs the name of the object", async () => {
    const response = await call("/tasks/audio/speech/url", { token });
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "storage_object"], type: "missing" }] },
    });
  });
});
