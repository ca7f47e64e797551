import { describe, expect, it, vi } from "vitest";
import {
  agentTranscriptionOperation,
  transcriptionResponse,
} from "../../../functions/transcription/contract.ts";
import { transcriptionEndpoints } from "../../../functions/transcription/endpoints.ts";
import { transcribeForAgent } from "../../../functions/transcription/transcribe.ts";
import { bufferSource } from "../../../shared/audio/read-audio.ts";
import type { Transcription, TranscriptionRequest } from "../../../shared/models/inference/transcription.ts";
import { transcriptionLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { repeatingSource } from "../../fixtures/audio/sources.ts";
import { encodeForm, type FormValue, formFile } from "../../support/multipart.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { unsureDetector } from "../../support/unsure-detector.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../support/wav.ts";

/** Two seconds at 24 kHz. */
const recording = wavFile(audioBytes(96_000), { stated: true });
/** 4.4 MB and 100 MB (specification, Limits), of 1,048,576 bytes each. */
const maxFileBytes = 4_613_734;
const maxUploadBytes = 104_857_600;
const fileId = "4f0c2f4e-9a57-4a4e-8a4c-0d6c3c1f7b21";

const setup = () => {
  const transcriber = {
    transcribe: vi.fn().mockResolvedValue({
      text: "Wasuze otya nno? 👋",
      segments: [
        { start: 0.12, end: 1.1, text: "Wasuze otya" },
        { start: 1.1, end: 30, text: "nno? 👋" },
      ],
    }),
  };
  const uploads = { find: vi.fn().mockResolvedValue(undefined) };
  const store = {
    delete: vi.fn().mockResolvedValue(undefined),
    open: vi.fn().mockResolvedValue(undefined),
  };
  const sendForm = async (form: { body: Buffer; headers: Record<string, string> }) =>
    send(transcriptionEndpoints({ transcriber, uploads, store }), {
      path: "/tasks/audio/transcriptions",
      authorizer: authorizedCaller,
      ...form,
    });
  const post = async (fields: Record<string, FormValue>) => sendForm(await encodeForm(fields));
  const upload = (source = bufferSource(recording)) => {
    uploads.find.mockResolvedValue({ objectKey: "uploads/x/y.wav", contentType: "audio/wav", userId: 7 });
    store.open.mockResolvedValue(source);
  };
  return { transcriber, uploads, store, post, sendForm, upload };
};
const request = { audio: formFile(recording), language: "lug" };

const issue = (field: string, type: string) => ({
  status: 422,
  body: { detail: [{ loc: ["body", field], type }] },
});

describe("a recording that an agent's tool transcribes", () => {
  const use = async (given: object, transcription: Transcription) => {
    const transcribe = vi.fn(async (_request: TranscriptionRequest) => transcription);
    const { uploads, store, upload } = setup();
    upload();
    const form = agentTranscriptionOperation.body?.schema.parse({ file_id: fileId, ...given });
    const account = { userId: 7, defaultLanguage: "ach", defaultLanguages: [], keywords: ["Gulu"] };
    const heard = await transcribeForAgent(
      form ?? expect.fail("The operation has a body."),
      { ...account, signal: new AbortController().signal },
      {
        ...{ transcriber: { transcribe }, uploads, store },
        ...{ detectsLanguages: false, detector: unsureDetector, wordOrder: () => 0 },
      },
    );
    return { heard, sent: transcribe.mock.calls.map(([request]) => request) };
  };
  const segment = { start: 0, end: 5, text: "Oli Guru?", speaker: "S1", confidence: 0.4 };
  const transcription = {
    text: "Oli Guru?",
    segments: [segment],
    confidence: 0.4,
    reasons: ["improbable" as const],
  };

  it("has speakers, how sure its text is, and keywords of the account and the call that were probably said", async () => {
    const { heard, sent } = await use({ keywords: ["Amina"], speakers: "true" }, transcription);
    expect(sent).toMatchObject([{ language: "ach", speakers: "required", prompt: "Gulu, Amina" }]);
    expect(heard).toMatchObject({ language: "ach", confidence: 0.4, reasons: ["improbable"] });
    expect(heard.segments).toMatchObject([
      { start: 0, end: 2, text: "Oli Guru?", speaker: "A", confidence: 0.4, alternatives: ["Oli Gulu?"] },
    ]);
  });

  it("has what the specification names, and nothing that was not requested", async () => {
    const { heard, sent } = await use({ language: "Luganda" }, { text: "Oli otya?", segments: undefined });
    expect(sent).toMatchObject([{ language: "lug", speakers: undefined, withSegments: false }]);
    expect(transcriptionResponse.strict().parse(heard)).toMatchObject({ language: "lug", segments: null });
  });
});

describe("POST /tasks/audio/transcriptions", () => {
  it("returns the text under both of its names, and the measured duration", async () => {
    const { post } = setup();
    expect(await post(request)).toMatchObject({
      status: 200,
      body: {
        text: "Wasuze otya nno? 👋",
        audio_transcription: "Wasuze otya nno? 👋",
        language: "lug",
        segments: null,
        duration_seconds: 2,
        usage: { duration_seconds: 2, input_audio_bytes: recording.length, output_characters: 18 },
        audio_transcription_id: null,
        audio_url: null,
        diarization_output: {},
        formatted_diarization_output: "",
        was_audio_trimmed: false,
        original_duration_minutes: null,
      },
    });
  });

  it("hands the recording on as what its bytes say, not as what the client calls it", async () => {
    const { post, transcriber } = setup();
    await post({ ...request, audio: formFile(recording, "voice.mp3", "application/pdf") });
    const [{ recording: passedOn, language, withSegments }] = transcriber.transcribe.mock.calls[0] ?? [];
    expect({ language, withSegments }).toEqual({ language: "lug", withSegments: false });
    expect(passedOn).toMatchObject({ mediaType: "audio/wav", fileExtension: "wav" });
    expect(Buffer.from(await passedOn.source.read(0, passedOn.source.size))).toEqual(recording);
  });

  it("returns segments on request, none of them beyond the recording's end", async () => {
    const { post, transcriber } = setup();
    const { body } = await post({ ...request, timestamps: "true" });
    expect(transcriber.transcribe.mock.calls[0]?.[0]).toMatchObject({ withSegments: true });
    expect(body.segments).toEqual([
      { start: 0.12, end: 1.1, text: "Wasuze otya" },
      { start: 1.1, end: 2, text: "nno? 👋" },
    ]);
  });

  it.each([undefined, []])(
    "returns one segment for the whole when the model reports %j",
    async (segments) => {
      const { post, transcriber } = setup();
      transcriber.transcribe.mockResolvedValue({ text: "Oli otya?", segments });
      const { body } = await post({ ...request, timestamps: "1" });
      expect(body.segments).toEqual([{ start: 0, end: 2, text: "Oli otya?" }]);
    },
  );

  it("rounds times to milliseconds, and lets no segment begin after the end", async () => {
    const { post, transcriber } = setup();
    const segments = [
      { start: 0.123_45, end: 0.987_65, text: "Oli" },
      { start: 2.5, end: 3, text: "otya?" },
    ];
    transcriber.transcribe.mockResolvedValue({ text: "Oli otya?", segments });
    expect((await post({ ...request, timestamps: "1" })).body.segments).toEqual([
      { start: 0.123, end: 0.988, text: "Oli" },
      { start: 2, end: 2, text: "otya?" },
    ]);
  });

  it("returns an empty text for silence", async () => {
    const { post, transcriber } = setup();
    transcriber.transcribe.mockResolvedValue({ text: "", segments: undefined });
    expect(await post({ ...request, timestamps: "yes" })).toMatchObject({
      status: 200,
      body: { text: "", audio_transcription: "", segments: [], usage: { output_characters: 0 } },
    });
  });

  it("passes on that the model is loading, with the time to come back", async () => {
    const { post, transcriber } = setup();
    transcriber.transcribe.mockRejectedValue(new AppError("service_unavailable", { retryAfterSeconds: 30 }));
    const response = await post(request);
    expect(response).toMatchObject({ status: 503, body: { error: { code: "service_unavailable" } } });
    expect(response.headers["Retry-After"]).toBe("30");
  });
});

describe("the fields of a transcription", () => {
  it.each(["true", "TRUE", "1", "yes", "On"])("read %s as a wish for segments", async (timestamps) => {
    const { post } = setup();
    expect((await post({ ...request, timestamps })).body.segments).toHaveLength(2);
  });

  it.each(["false", "False", "0", "no", "OFF", ""])("read %j as none", async (timestamps) => {
    const { post } = setup();
    expect((await post({ ...request, timestamps })).body.segments).toBeNull();
  });

  it("refuse any other word for it", async () => {
    const { post } = setup();
    expect(await post({ ...request, timestamps: "perhaps" })).toMatchObject(
      issue("timestamps", "bool_parsing"),
    );
  });

  it.each(transcriptionLanguages)("take the language $code ($name)", async ({ code }) => {
    const { post } = setup();
    expect(await post({ ...request, language: code })).toMatchObject({
      status: 200,
      body: { language: code },
    });
  });

  it.each(["Luganda", "LUG", "lg", "lg-UG"])("take the language %s for lug", async (language) => {
    const { post } = setup();
    expect(await post({ ...request, language })).toMatchObject({ status: 200, body: { language: "lug" } });
  });

  it.each(["Lugandan", "alz", "lu", ""])("refuse the language %j and list the codes", async (language) => {
    const { post } = setup();
    const response = await post({ ...request, language });
    expect(response).toMatchObject(issue("language", "enum"));
    expect(response.body.detail[0].msg).toContain("'ach', 'afr'");
  });

  it("refuse a request without a language", async () => {
    const { post } = setup();
    expect(await post({ audio: request.audio })).toMatchObject(issue("language", "missing"));
  });

  it.each([
    "platform",
    "adapter",
    "whisper",
    "recognise_speakers",
    "org",
    "gcs_blob_name",
    "gcs_object",
    "storage_object",
  ])("refuse %s, which is no longer there, by its name", async (name) => {
    const { post, transcriber } = setup();
    expect(await post({ ...request, [name]: "" })).toMatchObject(issue(name, "extra_forbidden"));
    expect(transcriber.transcribe).not.toHaveBeenCalled();
  });

  it("may be accompanied by others, which are ignored", async () => {
    const { post } = setup();
    const others = { model: "whisper-1", response_format: "json", temperature: "0", "prompt[]": "x" };
    expect(await post({ ...request, ...others })).toMatchObject({ status: 200, body: { language: "lug" } });
  });

  it("are all judged at once", async () => {
    const { post } = setup();
    const { body } = await post({ timestamps: "perhaps", org: "1" });
    expect(body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.at(-1), type])).toEqual([
      ["language", "missing"],
      ["timestamps", "bool_parsing"],
      ["org", "extra_forbidden"],
      ["audio", "missing"],
    ]);
  });
});

describe("the recording in the request", () => {
  it.each([
    ["is missing", undefined, "missing"],
    ["is a text field", "RIFF....WAVE", "value_error"],
    ["comes twice", [formFile(recording), formFile(recording)], "value_error"],
    ["is called file, as by the OpenAI SDKs", undefined, "missing"],
  ])("%s: refused", async (_case, audio, type) => {
    const { post } = setup();
    expect(await post({ ...request, audio, file: formFile(recording) })).toMatchObject(issue("audio", type));
  });

  it.each([
    ["has no file name", 'name="audio"', recording, "value_error"],
    ["has an empty file name", 'name="audio"; filename=""', recording, "value_error"],
    ["was not chosen in a browser's form", 'name="audio"; filename=""', Buffer.alloc(0), "missing"],
  ])("%s: refused", async (_case, disposition, content, type) => {
    const { sendForm } = setup();
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="language"\r\n\r\nlug\r\n'),
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n`),
      Buffer.from("Content-Type: application/octet-stream\r\n\r\n"),
      content,
      Buffer.from("\r\n--b--\r\n"),
    ]);
    const response = await sendForm({ body, headers: { "Content-Type": "multipart/form-data; boundary=b" } });
    expect(response).toMatchObject(issue("audio", type));
  });

  it("of 4.4 MB is transcribed", async () => {
    const { post } = setup();
    const audio = formFile(wavFile(Buffer.alloc(maxFileBytes - 44), { stated: true }));
    expect(await post({ ...request, audio })).toMatchObject({
      status: 200,
      body: { usage: { input_audio_bytes: maxFileBytes } },
    });
  });

  it("of one byte more gets 413 and the alternative", async () => {
    const { post } = setup();
    const audio = formFile(wavFile(Buffer.alloc(maxFileBytes - 43), { stated: true }));
    const response = await post({ ...request, audio });
    expect(response).toMatchObject({
      status: 413,
      body: { error: { code: "payload_too_large", param: "audio" } },
    });
    expect(response.body.detail).toContain("POST /tasks/generate-upload-url");
    expect(response.body.detail).toContain("file_id");
  });
});

describe("a recording that was uploaded", () => {
  it("is read where it is stored", async () => {
    const { post, uploads, store, upload } = setup();
    upload();
    const response = await post({ file_id: fileId.toUpperCase(), language: "lug" });
    expect(response).toMatchObject({ status: 200, body: { duration_seconds: 2 } });
    expect(uploads.find).toHaveBeenCalledWith(fileId, 7);
    expect(store.open).toHaveBeenCalledWith("uploads/x/y.wav");
  });

  it("looks missing to callers who may not use it: 404", async () => {
    const { post } = setup();
    expect(await post({ file_id: fileId, language: "lug" })).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", param: "file_id" } },
    });
  });

  it("is missing before it is uploaded: 404", async () => {
    const { post, upload, store } = setup();
    upload();
    store.open.mockResolvedValue(undefined);
    const response = await post({ file_id: fileId, language: "lug" });
    expect(response).toMatchObject({ status: 404, body: { error: { code: "not_found", param: "file_id" } } });
    expect(response.body.detail).toContain("uploaded");
  });

  it("may have 100 MB; one with a byte more is not read, and removed", async () => {
    const { post, upload, store } = setup();
    const header = wavHeaderBytes(maxUploadBytes - 44, { stated: true });
    const audio = Buffer.alloc(1);
    upload(repeatingSource(header, audio, maxUploadBytes - 44));
    expect(await post({ file_id: fileId, language: "lug" })).toMatchObject({
      status: 200,
      body: { usage: { input_audio_bytes: maxUploadBytes } },
    });
    expect(store.delete).not.toHaveBeenCalled();
    const read = vi.fn();
    upload({ size: maxUploadBytes + 1, read });
    expect(await post({ file_id: fileId, language: "lug" })).toMatchObject({
      status: 413,
      body: { error: { code: "payload_too_large", param: "file_id" } },
    });
    expect(read).not.toHaveBeenCalled();
    expect(store.delete).toHaveBeenCalledExactlyOnceWith("uploads/x/y.wav");
  });

  it("stays where its size was declared, and the error names jobs", async () => {
    const { post, upload, uploads, store } = setup();
    upload({ size: maxUploadBytes + 1, read: vi.fn() });
    const declared = { objectKey: "uploads/x/y.wav", contentType: "audio/wav", userId: 7 };
    uploads.find.mockResolvedValue({ ...declared, size: maxUploadBytes + 1 });
    const response = await post({ file_id: fileId, language: "lug" });
    expect(response).toMatchObject({ status: 413, body: { error: { code: "payload_too_large" } } });
    expect(response.body.detail).toContain("POST /tasks/jobs");
    expect(store.delete).not.toHaveBeenCalled();
  });

  it("is refused for its size also when it cannot be removed", async () => {
    const { post, upload, store } = setup();
    upload({ size: maxUploadBytes + 1, read: vi.fn() });
    store.delete.mockRejectedValue(new Error("S3 is not there."));
    expect(await post({ file_id: fileId, language: "lug" })).toMatchObject({ status: 413 });
  });

  it.each(["4f0c2f4e", "../uploads/x"])("has no id like %s", async (wrong) => {
    const { post } = setup();
    expect(await post({ file_id: wrong, language: "lug" })).toMatchObject(issue("file_id", "uuid_parsing"));
  });

  it("cannot be sent along with another", async () => {
    const { post } = setup();
    expect(await post({ ...request, file_id: fileId })).toMatchObject(issue("file_id", "value_error"));
  });

  it("may be named by a form that leaves the other field empty", async () => {
    const { post, upload, uploads } = setup();
    upload();
    expect(await post({ file_id: fileId, language: "lug", audio: formFile("", "") })).toMatchObject({
      status: 200,
      body: { duration_seconds: 2 },
    });
    expect(uploads.find).toHaveBeenCalledTimes(1);
    expect(await post({ ...request, file_id: "" })).toMatchObject({ status: 200 });
    expect(uploads.find).toHaveBeenCalledTimes(1);
  });

  it("that cannot be read from the store is our failure", async () => {
    const { post, upload } = setup();
    upload({ size: 1_000, read: () => Promise.reject(new AppError("storage_unavailable")) });
    expect(await post({ file_id: fileId, language: "lug" })).toMatchObject({
      status: 502,
      body: { error: { code: "storage_unavailable" } },
    });
  });
});
