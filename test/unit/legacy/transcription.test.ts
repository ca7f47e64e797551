import { describe, expect, it, vi } from "vitest";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { makeAdts, makeMp3 } from "../../fixtures/audio/make-mpeg.ts";
import { makeWav } from "../../fixtures/audio/make-wav.ts";
import { recordingsInMemory } from "../../support/legacy.ts";
import { formFile } from "../../support/multipart.ts";
import { audioBytes, wavFile } from "../../support/wav.ts";

const second = wavFile(audioBytes(48_000), { stated: true });

describe("POST /tasks/stt", () => {
  it("saves what was said under a number, and the audio with it", async () => {
    const { post, saved, stored, transcribe } = recordingsInMemory();
    const response = await post("/tasks/stt", { audio: formFile(second), language: "ach" });
    const [[objectKey, bytes] = []] = stored();
    expect(response).toMatchObject({
      status: 200,
      body: {
        audio_transcription: "Wasuze otya nno?",
        audio_transcription_id: 12,
        audio_url: objectKey,
        language: "ach",
        was_audio_trimmed: false,
        original_duration_minutes: null,
        diarization_output: {},
        formatted_diarization_output: "",
      },
    });
    expect(objectKey).toMatch(/^transcriptions\/[0-9a-f]{32}\.wav$/);
    expect(bytes?.equals(second)).toBe(true);
    expect(saved.save).toHaveBeenCalledWith(12, {
      userId: 7,
      text: "Wasuze otya nno?",
      language: "ach",
      objectKey,
    });
    expect(transcribe.mock.calls[0]?.[0]).toMatchObject({ language: "ach", withSegments: false });
  });

  it.each([
    [{}, "lug"],
    [{ language: "", adapter: "" }, "lug"],
    [{ adapter: "teo" }, "teo"],
    [{ language: "nyn", adapter: "teo" }, "nyn"],
    [{ language: "xog", whisper: "true" }, "xog"],
    [{ language: "Luganda" }, "lug"],
    [{ adapter: "sw-KE" }, "swa"],
  ])("with %j is in %s", async (fields, language) => {
    const { post, transcribe } = recordingsInMemory();
    expect(await post("/tasks/stt", { audio: formFile(second), ...fields })).toMatchObject({
      body: { language },
    });
    expect(transcribe.mock.calls[0]?.[0].language).toBe(language);
  });

  it.each([["fra"], ["Acholl"], ["lu"]])(
    "refuses the language %s with the ten that there are",
    async (language) => {
      const { post } = recordingsInMemory();
      const response = await post("/tasks/stt", { audio: formFile(second), language });
      expect(response).toMatchObject({
        status: 422,
        body: {
          detail: [
            { loc: ["body", "language"], type: "enum", msg: expect.stringContaining("'xog' or 'myx'") },
          ],
        },
      });
    },
  );

  it("transcribes and keeps the first ten minutes of a longer recording", async () => {
    const { post, stored, transcribe } = recordingsInMemory();
    const file = makeMp3(24_500);
    const response = await post("/tasks/stt", { audio: formFile(file) });
    expect(response).toMatchObject({ status: 200, body: { was_audio_trimmed: true } });
    expect(response.body.original_duration_minutes).toBeCloseTo(640 / 60, 1);
    const trimmed = stored()[0]?.[1] ?? Buffer.alloc(0);
    const [before, after] = await Promise.all(
      [file, trimmed].map((bytes) => inspectAudio(bufferSource(bytes))),
    );
    expect(after?.durationSeconds).toBeGreaterThan(599.9);
    expect(after?.durationSeconds).toBeLessThan(600.3);
    expect({ container: after?.container, codec: after?.codec }).toEqual({
      container: before?.container,
      codec: before?.codec,
    });
    const passedOn = transcribe.mock.calls[0]?.[0].recording;
    expect(passedOn?.source.size).toBe(trimmed.length);
    expect(passedOn?.fileExtension).toBe(before?.fileExtension);
  });

  it("leaves ten minutes as they are", async () => {
    const { post, stored } = recordingsInMemory();
    const file = makeWav({ seconds: 600, sampleRate: 3_000 });
    expect(await post("/tasks/stt", { audio: formFile(file) })).toMatchObject({
      body: { was_audio_trimmed: false, original_duration_minutes: null },
    });
    expect(stored()[0]?.[1].equals(file)).toBe(true);
  });

  it.each([
    ["fails", () => Promise.reject(new AppError("service_unavailable", { retryAfterSeconds: 30 })), 503],
    ["hears nothing", () => Promise.resolve({ text: "", segments: undefined }), 502],
  ])("keeps nothing when the model %s", async (_case, transcribe, status) => {
    const legacy = recordingsInMemory();
    legacy.transcribe.mockImplementation(transcribe);
    const response = await legacy.post("/tasks/stt", { audio: formFile(second) });
    expect(response.status).toBe(status);
    expect(response.headers["Deprecation"]).toBeTruthy();
    expect(legacy.stored()).toEqual([]);
    expect(legacy.saved.save).not.toHaveBeenCalled();
  });

  it("refuses a file that is no audio with 422, and damaged audio with 400", async () => {
    const { post, stored } = recordingsInMemory();
    expect(await post("/tasks/stt", { audio: formFile("%PDF-1.7", "song.mp3", "audio/mpeg") })).toMatchObject(
      {
        status: 422,
        body: { detail: [{ loc: ["body", "audio"], type: "value_error" }] },
      },
    );
    const damaged = Buffer.concat([second.subarray(0, 36), Buffer.from("LIST")]);
    expect(await post("/tasks/stt", { audio: formFile(damaged) })).toMatchObject({
      status: 400,
      body: { error: { code: "unreadable_audio", param: "audio" } },
    });
    expect(stored()).toEqual([]);
  });

  it("names the alternative for a file that is too large for a request", async () => {
    const { post } = recordingsInMemory();
    const audio = formFile(wavFile(Buffer.alloc(4_613_734), { stated: true }));
    const response = await post("/tasks/stt", { audio });
    expect(response).toMatchObject({ status: 413, body: { error: { param: "audio" } } });
    expect(response.body.detail).toMatch(/generate-upload-url .*stt_from_gcs; split larger recordings/);
  });
});

describe("distinguishing speakers", () => {
  const segments = [
    { start: 0.46, end: 2, text: "Could you", speaker: "B" },
    { start: 2, end: 16.32, text: "let us know?", speaker: "B" },
    { start: 16.26, end: 226.9, text: "We didn't notice.", speaker: "A" },
  ];

  it("are returned in both forms of version 1 when the model supports them", async () => {
    const { post, transcribe } = recordingsInMemory();
    transcribe.mockResolvedValue({ text: "Could you let us know? We didn't notice.", segments });
    const response = await post("/tasks/stt", { audio: formFile(second), recognise_speakers: "true" });
    expect(transcribe.mock.calls[0]?.[0]).toMatchObject({ speakers: "attempted" });
    expect(response.body.diarization_output).toEqual({
      text: "Could you let us know? We didn't notice.",
      chunks: [
        { speaker: "SPEAKER_00", text: "Could you", timestamp: [0.46, 2] },
        { speaker: "SPEAKER_00", text: "let us know?", timestamp: [2, 16.32] },
        { speaker: "SPEAKER_01", text: "We didn't notice.", timestamp: [16.26, 226.9] },
      ],
    });
    expect(response.body.formatted_diarization_output).toBe(
      "**SPEAKER_00**\n(0.46) Could you let us know? (16.32)\n**SPEAKER_01**\n(16.26) We didn't notice. (226.90)",
    );
    expect(response.headers["X-Diarization"]).toBeUndefined();
  });

  it.each(["/tasks/stt", "/tasks/org/stt"])(
    "are missing when it does not, and a header of %s says so",
    async (path) => {
      const { post } = recordingsInMemory();
      const response = await post(path, { audio: formFile(second), recognise_speakers: "yes" });
      expect(response).toMatchObject({
        status: 200,
        headers: { "X-Diarization": "unavailable", Deprecation: "@1780272000" },
        body: { diarization_output: {}, formatted_diarization_output: "" },
      });
      expect((await post(path, { audio: formFile(second) })).headers["X-Diarization"]).toBeUndefined();
    },
  );
});

describe("whisper", () => {
  const request = { audio: formFile(second), whisper: "true" };

  it("selects the alternative model", async () => {
    const { post, transcribe, transcribeAlternatively } = recordingsInMemory({ withAlternative: true });
    transcribeAlternatively.mockResolvedValue({ text: "From the other model.", segments: undefined });
    const response = await post("/tasks/stt", request);
    expect(response).toMatchObject({ status: 200, body: { audio_transcription: "From the other model." } });
    expect(response.headers["X-Whisper"]).toBeUndefined();
    expect(transcribe).not.toHaveBeenCalled();
  });

  it("is ignored when it is not set, although there is an alternative model", async () => {
    const { post, transcribeAlternatively } = recordingsInMemory({ withAlternative: true });
    const response = await post("/tasks/stt", { ...request, whisper: "false" });
    expect(response.headers["X-Whisper"]).toBeUndefined();
    expect(transcribeAlternatively).not.toHaveBeenCalled();
  });

  it("is reported as unavailable without an alternative model", async () => {
    const { post, transcribe } = recordingsInMemory();
    expect(await post("/tasks/stt", request)).toMatchObject({
      status: 200,
      headers: { "X-Whisper": "unavailable" },
    });
    expect(transcribe).toHaveBeenCalledOnce();
  });
});

describe("POST /tasks/org/stt", () => {
  it("leaves the language to the model, saves nothing and trims nothing", async () => {
    const { post, saved, stored, transcribe } = recordingsInMemory();
    transcribe.mockResolvedValue({ text: "", segments: undefined });
    const response = await post("/tasks/org/stt", { audio: formFile(makeAdts(10_000)) });
    expect(response).toMatchObject({
      status: 200,
      body: {
        audio_transcription: "",
        audio_transcription_id: null,
        audio_url: null,
        language: null,
        was_audio_trimmed: false,
      },
    });
    expect(transcribe.mock.calls[0]?.[0].language).toBeUndefined();
    expect(saved.save).not.toHaveBeenCalled();
    expect(stored()).toEqual([]);
  });
});

describe("POST /tasks/modal/stt", () => {
  it.each([
    ["lug", "lug"],
    ["Luganda", "lug"],
    ["runyankore", "nyn"],
    [undefined, undefined],
  ])("takes the language %s", async (language, code) => {
    const { post, transcribe } = recordingsInMemory();
    const response = await post("/tasks/modal/stt", { audio: formFile(second), language });
    expect(response).toMatchObject({
      status: 200,
      body: { audio_transcription: "Wasuze otya nno?", language: null },
    });
    expect(transcribe.mock.calls[0]?.[0].language).toBe(code);
  });

  it.each(["Latin", "alz"])("does not know the language %s", async (language) => {
    const { post } = recordingsInMemory();
    expect(await post("/tasks/modal/stt", { audio: formFile(second), language })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "language"], type: "enum" }] },
    });
  });
});

describe("DELETE /tasks/stt/{audio_transcription_id}", () => {
  const withOne = async () => {
    const legacy = recordingsInMemory();
    const { body } = await legacy.post("/tasks/stt", { audio: formFile(second) });
    return { ...legacy, id: body.audio_transcription_id };
  };

  it("deletes what was saved, and the audio with it", async () => {
    const { remove, stored, saved, id } = await withOne();
    expect(await remove(id)).toMatchObject({
      status: 200,
      body: { success: true, audio_transcription_id: id },
      headers: { Deprecation: "@1780272000" },
    });
    expect(stored()).toEqual([]);
    expect(saved.transcriptions.size).toBe(0);
    expect(await remove(id)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });

  it("treats another account's like a missing one, and leaves it unchanged", async () => {
    const { remove, stored, saved, id } = await withOne();
    saved.transcriptions.set(99, {
      userId: 8,
      text: "Apwoyo",
      language: "ach",
      objectKey: "transcriptions/x.wav",
    });
    const [foreign, unknown] = [await remove(99), await remove(100)];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.body.detail).toBe(unknown.body.detail);
    expect([...saved.transcriptions.keys()]).toEqual([id, 99]);
    expect(stored()).toHaveLength(1);
  });

  it("can be tried again when the store could not remove the audio", async () => {
    const { remove, stored, saved, objects, id } = await withOne();
    const deleting = vi.spyOn(objects, "delete").mockImplementationOnce(() => {
      throw new AppError("storage_unavailable");
    });
    expect(await remove(id)).toMatchObject({ status: 502 });
    expect(saved.transcriptions.has(id)).toBe(true);
    expect(await remove(id)).toMatchObject({ status: 200 });
    expect(stored()).toEqual([]);
    deleting.mockRestore();
  });

  it.each(["0", "-1", "1.5", "twelve"])("does not take %s for a number of one", async (id) => {
    const { remove } = await withOne();
    expect(await remove(id)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["path", "audio_transcription_id"] }] },
    });
  });
});
