import OpenAI, { toFile } from "openai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  createV1TranscriptionOperation,
  createV1TranslationOperation,
} from "../../functions/transcription/v1/contract.ts";
import {
  baseUrl,
  call,
  createAccount,
  expectDeclared,
  expectError,
  sharedAccount,
  speak,
  upload,
} from "../support/client.ts";
import { type FormValue, formData, formFile } from "../support/multipart.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const isLocal = inject("isLocal");
const spokenText = "Wasuze otya nno? Nnyabo, weebale kujja.";
const noise = wavFile(audioBytes(24_000), { stated: true });

let token: string;
let openai: OpenAI;
/** What the sample server has spoken, and can read back. */
let spoken: Buffer;
beforeAll(async () => {
  ({ token } = await sharedAccount());
  openai = new OpenAI({ apiKey: token, baseURL: `${baseUrl}/v1`, maxRetries: 0 });
  spoken = await speak(spokenText, token);
});

const send = (path: string, fields: Readonly<Record<string, FormValue>>) =>
  call(`/v1/audio/${path}`, {
    token,
    body: formData({ file: formFile(noise), model: "stt-51:lug", ...fields }),
  });

const recording = () => toFile(spoken, "recording.wav", { type: "audio/wav" });

describe.runIf(isLocal)("a recording through the OpenAI SDK", () => {
  it.each(["stt-51:lug", "stt-51:Luganda"])("is written down by %s", async (model) => {
    const { text } = await openai.audio.transcriptions.create({ file: await recording(), model });
    expect(text).toBe(spokenText);
  });

  it.each(["stt-51", "whisper-1"])("is written down by %s in the language that is named", async (model) => {
    const response = await openai.audio.transcriptions.create({
      file: await recording(),
      model,
      language: "lg-UG",
      prompt: "Nnyabo",
      temperature: 0,
    });
    expect(response.text).toBe(spokenText);
  });

  it("has all that clients ask of verbose_json", async () => {
    const response = await openai.audio.transcriptions.create({
      file: await recording(),
      model: "stt-51",
      language: "lug",
      response_format: "verbose_json",
      timestamp_granularities: ["segment", "word"],
    });
    expect(response).toMatchObject({ task: "transcribe", language: "lg", text: spokenText });
    expect(response.duration).toBeGreaterThan(1);
    expect(response.segments?.map(({ text }) => text)).toEqual([
      "Wasuze otya nno?",
      "Nnyabo, weebale kujja.",
    ]);
    expect(Object.keys(response.segments?.[0] ?? {}).toSorted()).toEqual(
      [
        "id",
        "seek",
        "start",
        "end",
        "text",
        "tokens",
        "temperature",
        "avg_logprob",
        "compression_ratio",
        "no_speech_prob",
      ].toSorted(),
    );
    expect(response.words?.map(({ word }) => word).join(" ")).toBe(spokenText);
  });

  it("has the times of words alone where only those are wanted", async () => {
    const response = await openai.audio.transcriptions.create({
      file: await recording(),
      model: "stt-51:lug",
      response_format: "verbose_json",
      timestamp_granularities: ["word"],
    });
    expect(response.words).toHaveLength(6);
    expect(response).not.toHaveProperty("segments");
  });

  it("leaves as events while the model writes", async () => {
    const stream = await openai.audio.transcriptions.create({
      file: await recording(),
      model: "gpt-4o-transcribe",
      language: "lg",
      stream: true,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    const deltas = events.flatMap((event) => (event.type === "transcript.text.delta" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.join("")).toBe(spokenText);
    expect(events.at(-1)).toEqual({ type: "transcript.text.done", text: spokenText });
  });

  it("becomes subtitles and plain text", async () => {
    const of = async (response_format: "srt" | "vtt" | "text") =>
      openai.audio.transcriptions.create({ file: await recording(), model: "stt-51:lug", response_format });
    expect(await of("text")).toBe(`${spokenText}\n`);
    expect(await of("srt")).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nWasuze otya nno\?/);
    expect(await of("vtt")).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0\d\.\d{3}\nWasuze otya nno\?/);
  });

  it("is translated into English", async () => {
    const file = await toFile(spoken, "recording.wav");
    const { text } = await openai.audio.translations.create({ file, model: "stt-51:lug" });
    expect(text).not.toBe("");
    expect(text).not.toBe(spokenText);
    const subtitles = await openai.audio.translations.create({
      file: await recording(),
      model: "stt-51:lug",
      response_format: "vtt",
    });
    expect(subtitles).toMatch(/^WEBVTT\n/);
  });
});

describe("POST /v1/audio/transcriptions", () => {
  it("returns the text, and the recording's length", async () => {
    const response = await send("transcriptions", {});
    expectDeclared(createV1TranscriptionOperation, response);
    expect(response).toMatchObject({ status: 200, body: { usage: { type: "duration", seconds: 0.5 } } });
  });

  it("requires a language with a message that names both ways, and uses the account's default", async () => {
    const account = await createAccount();
    const transcribe = () =>
      call("/v1/audio/transcriptions", {
        token: account.token,
        body: formData({ file: formFile(noise), model: "whisper-1", response_format: "verbose_json" }),
      });
    const response = await transcribe();
    expectError(response, 400, "language_required");
    expect(response.body.error.param).toBe("language");
    expect(response.body.error.message).toMatch(/`language`.*`stt-51:lug`.*`default_language`/s);

    const profile = await call("/auth/profile", {
      method: "PUT",
      token: account.token,
      body: { default_language: "Acholi" },
    });
    expect(profile).toMatchObject({ status: 200, body: { default_language: "ach" } });
    expect(await transcribe()).toMatchObject({ status: 200, body: { language: "ach" } });
  });

  it.each([
    [{ model: "whisper-2" }, 404, "model_not_found", "model"],
    [{ language: "Klingon" }, 400, "unsupported_language", "language"],
    [{ response_format: "diarized_json" }, 400, "unsupported_parameter", "response_format"],
    [{ "timestamp_granularities[]": "word" }, 400, "unsupported_parameter", "timestamp_granularities"],
    [{ stream: "true", response_format: "srt" }, 400, "unsupported_parameter", "stream"],
    [{ "include[]": "logprobs" }, 400, "unsupported_parameter", "include[0]"],
    [{ hotwords: "Kampala" }, 400, "unsupported_parameter", "hotwords"],
  ])("refuses %j and names it", async (fields, status, code, param) => {
    const response = await send("transcriptions", fields);
    expectError(response, status, code);
    expect(response.body.error).toMatchObject({ param, type: "invalid_request_error" });
  });

  it.each([
    [{ file: undefined }, "file", "missing"],
    [{ model: undefined }, "model", "missing"],
    [{ temperature: "hot" }, "temperature", "float_parsing"],
  ])("names the field that is wrong in %j", async (fields, name, type) => {
    const response = await send("transcriptions", fields);
    expect(response).toMatchObject({ status: 400, body: { detail: [{ loc: ["body", name], type }] } });
  });

  it("points to uploads when a file is too large, and takes their ids", async () => {
    const large = wavFile(audioBytes(5_000_000), { stated: true });
    const response = await send("transcriptions", { file: formFile(large) });
    expectError(response, 413, "payload_too_large");
    expect(response.body.detail).toContain("POST /tasks/generate-upload-url");

    expect(
      await send("transcriptions", { file: undefined, file_id: await upload(noise, { token }) }),
    ).toMatchObject({
      status: 200,
      body: { usage: { seconds: 0.5 } },
    });
  });
});

describe("POST /v1/audio/translations", () => {
  it("responds in the formats of a transcription", async () => {
    const response = await send("translations", { response_format: "verbose_json" });
    expectDeclared(createV1TranslationOperation, response);
    expect(response).toMatchObject({
      status: 200,
      body: { task: "translate", language: "en", duration: 0.5 },
    });
  });

  it("refuses a language that is not translated before anything is written down", async () => {
    const response = await send("translations", { language: "hau" });
    expectError(response, 400, "unsupported_language");
    expect(response.body.error).toMatchObject({ param: "language" });
  });
});
