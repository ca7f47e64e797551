import { beforeAll, describe, expect, inject, it } from "vitest";
import { createTranscriptionOperation, maxFileBytes } from "../../functions/transcription/contract.ts";
import { oggOpusWith } from "../fixtures/audio/false-lengths.ts";
import { call, expectDeclared, expectError, sharedAccount, speak, upload } from "../support/client.ts";
import { type FormValue, formData, formFile } from "../support/multipart.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../support/wav.ts";

const isLocal = inject("isLocal");

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const transcribe = (fields: Readonly<Record<string, FormValue>>, bearer: string | undefined = token) =>
  call("/tasks/audio/transcriptions", { token: bearer, body: formData({ language: "lug", ...fields }) });

/** A second and a half of noise at 24 kHz. */
const noise = wavFile(audioBytes(72_000), { stated: true });
const silence = Buffer.concat([wavHeaderBytes(72_000, { stated: true }), Buffer.alloc(72_000)]);

describe("POST /tasks/audio/transcriptions", () => {
  it("writes down what is said, and measures the recording", async () => {
    const response = await transcribe({ audio: formFile(noise) });
    expectDeclared(createTranscriptionOperation, response);
    expect(response).toMatchObject({
      status: 200,
      body: {
        language: "lug",
        segments: null,
        duration_seconds: 1.5,
        usage: { input_audio_bytes: noise.length },
      },
    });
    expect(response.body.audio_transcription).toBe(response.body.text);
  });

  it.runIf(isLocal)("says that the sample server cannot recognise speech, and what can", async () => {
    const { body } = await transcribe({ audio: formFile(noise) });
    expect(body.text).toMatch(/^\[The sample server cannot .* set TRANSCRIPTION_BASE_URL .*\.\]$/);
  });

  it("counts what a recording plays, not what its last position states", async () => {
    const lastPositionIsASecond = oggOpusWith((page) => (page === 1_800 ? 48_000 : page * 48_000));
    const { status, body } = await transcribe({ audio: formFile(lastPositionIsASecond) });
    expect({ status, duration: body.duration_seconds }).toEqual({ status: 200, duration: 1_800 });
  });

  it.runIf(isLocal)("reads back what the sample server has spoken, sentence by sentence", async () => {
    const text = "Wasuze otya nno? Nnyabo, weebale kujja.";
    const response = await transcribe({ audio: formFile(await speak(text, token)), timestamps: "yes" });
    expectDeclared(createTranscriptionOperation, response);
    expect(response.body.text).toBe(text);
    const [first, second] = response.body.segments;
    expect([first.text, second.text]).toEqual(["Wasuze otya nno?", "Nnyabo, weebale kujja."]);
    expect(first.end).toBeLessThanOrEqual(second.start);
    expect(second.end).toBeLessThanOrEqual(response.body.duration_seconds);
  });

  it.runIf(isLocal)("returns an empty text for silence", async () => {
    expect(await transcribe({ audio: formFile(silence), timestamps: "true" })).toMatchObject({
      status: 200,
      body: { text: "", segments: [], duration_seconds: 1.5 },
    });
  });

  it("accepts an uploaded recording, whether its link was requested with a token or without", async () => {
    for (const bearer of [token, undefined]) {
      const response = await transcribe({ file_id: await upload(noise, { token: bearer }) });
      expectDeclared(createTranscriptionOperation, response);
      expect(response).toMatchObject({ status: 200, body: { duration_seconds: 1.5 } });
    }
  });

  it.each([maxFileBytes + 1, 11_000_000])("refuses a file of %i bytes with 413", async (size) => {
    const audio = formFile(Buffer.concat([wavHeaderBytes(size), Buffer.alloc(size)]));
    const response = await transcribe({ audio });
    expectError(response, 413, "payload_too_large");
    expect(response.body.detail).toContain("POST /tasks/generate-upload-url");
    expect(response.body.detail).toContain("file_id");
  });

  it("refuses what is no audio, and audio that cannot be read", async () => {
    const image = await transcribe({ audio: formFile(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")) });
    expectDeclared(createTranscriptionOperation, image);
    expect(image).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "audio"] }] } });
    expectError(await transcribe({ audio: formFile(noise.subarray(0, 30)) }), 400, "unreadable_audio");
  });

  it.each([
    [{}, "audio", "missing"],
    [{ audio: formFile(noise), language: "Klingon" }, "language", "enum"],
    [{ audio: formFile(noise), adapter: "lug" }, "adapter", "extra_forbidden"],
  ])("names the field that is wrong in %o", async (fields, name, type) => {
    const response = await transcribe(fields);
    expectDeclared(createTranscriptionOperation, response);
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", name], type }] } });
  });
});
