import { describe, expect, it, vi } from "vitest";
import { transcriptionEndpoints } from "../../../functions/transcription/endpoints.ts";
import { bufferSource } from "../../../shared/audio/read-audio.ts";
import type { TranscriptionRequest } from "../../../shared/models/inference/transcription.ts";
import { mutate } from "../../fixtures/audio/mutate.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { fixture } from "../../fixtures/audio/sources.ts";
import { encodeForm, type FormValue, formFile } from "../../support/multipart.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const setup = (uploaded?: Buffer) => {
  const transcribe = vi.fn(async (_request: TranscriptionRequest) => ({
    text: "Oli otya?",
    segments: undefined,
  }));
  const uploads = { find: async () => ({ objectKey: "uploads/x", contentType: "audio/wav", userId: 7 }) };
  const store = { delete: async () => undefined, open: async () => uploaded && bufferSource(uploaded) };
  const post = async (fields: Record<string, FormValue>) =>
    send(transcriptionEndpoints({ transcriber: { transcribe }, uploads, store }), {
      path: "/tasks/audio/transcriptions",
      authorizer: authorizedCaller,
      ...(await encodeForm({ language: "lug", ...fields })),
    });
  return { transcribe, post };
};

const postFile = async (bytes: Buffer | string, name?: string) => {
  const { post, transcribe } = setup();
  const response = await post({ audio: formFile(bytes, name) });
  return { ...response, passedOn: transcribe.mock.calls[0]?.[0].recording };
};

const recordings = [
  ["tone-vbr.mp3", "audio/mpeg", "mp3"],
  ["tone.m4a", "audio/mp4", "m4a"],
  ["tone-faststart.m4a", "audio/mp4", "m4a"],
  ["tone-fragmented.m4a", "audio/mp4", "m4a"],
  ["tone-alac.m4a", "audio/mp4", "m4a"],
  ["tone-opus.mp4", "audio/mp4", "m4a"],
  ["tone-opus.ogg", "audio/ogg", "ogg"],
  ["tone-vorbis.ogg", "audio/ogg", "ogg"],
  ["tone-flac.ogg", "audio/ogg", "ogg"],
  ["tone.flac", "audio/flac", "flac"],
  ["tone.webm", "audio/webm", "webm"],
  ["tone-live.webm", "audio/webm", "webm"],
  ["tone-vorbis.webm", "audio/webm", "webm"],
  ["tone.aac", "audio/aac", "aac"],
  ["tone-adpcm.wav", "audio/wav", "wav"],
] as const;

describe("a recording", () => {
  it.each(recordings)(
    "%s is recognised by its bytes, under any name",
    async (name, mediaType, fileExtension) => {
      const response = await postFile(fixture(name), "upload.bin");
      expect(response).toMatchObject({ status: 200, passedOn: { mediaType, fileExtension } });
      expect(response.body.duration_seconds).toBeGreaterThan(1.4);
      expect(response.body.duration_seconds).toBeLessThan(1.7);
      expect(response.body.usage.input_audio_bytes).toBe(fixture(name).length);
    },
  );

  /** The seconds in six tenths of the bytes; of the others the index, or the page with their end, is gone. */
  const left: Readonly<Record<string, number>> = {
    "tone-vbr.mp3": 0.684,
    "tone-faststart.m4a": 0.789,
    "tone-fragmented.m4a": 0.859,
    "tone.flac": 0.072,
    "tone.webm": 0.775,
    "tone-live.webm": 0.795,
    "tone.aac": 0.896,
    "tone-adpcm.wav": 0.913,
  };

  it.each(recordings)("%s that was cut off is transcribed as far as it goes, or refused", async (name) => {
    const bytes = fixture(name);
    const response = await postFile(bytes.subarray(0, Math.ceil(bytes.length * 0.6)));
    const seconds = left[name];
    if (seconds === undefined) expect(response.body.error).toMatchObject({ code: "unreadable_audio" });
    else expect(response).toMatchObject({ status: 200, body: { duration_seconds: seconds } });
    const start = await postFile(bytes.subarray(0, Math.ceil(bytes.length * 0.1)));
    if (start.status === 200) expect(start.body.duration_seconds).toBeLessThan(0.3);
    else expect(["unreadable_audio", "validation_failed"]).toContain(start.body.error.code);
  });

  it("that was damaged is never our failure, and often still transcribed", async () => {
    const random = new Random(7);
    let transcribed = 0;
    for (const [name] of recordings) {
      for (let count = 0; count < 2; count += 1) {
        const { status, body } = await postFile(mutate(fixture(name), random));
        if (status === 200) transcribed += 1;
        else expect(["unreadable_audio", "validation_failed"]).toContain(body.error.code);
      }
    }
    expect(transcribed).toBeGreaterThan(recordings.length / 2);
  });
});

describe("a file that is no recording", () => {
  it.each([
    ["an image", Buffer.from("\x89PNG\r\n\x1a\n0000000000000000", "latin1"), "image/png"],
    ["a document", Buffer.from("%PDF-1.7\n1 0 obj"), "application/pdf"],
    ["an archive", Buffer.from("PK\x03\x04\x14\0\0\0"), "application/zip"],
    ["a page", Buffer.from("<!doctype html><p>Hello"), "text/html"],
    ["JSON", Buffer.from('{"audio": "aGVsbG8="}'), "application/json"],
    ["a video without audio", fixture("silent-video.mp4"), "video/mp4"],
    ["a film without audio", fixture("silent-video.webm"), "video/webm"],
    ["empty", Buffer.alloc(0), "empty"],
    ["zeros", Buffer.alloc(4_096), "not a supported audio file"],
  ])("but %s is refused, and the sentence says what it looks like", async (_case, bytes, looksLike) => {
    const response = await postFile(bytes, "recording.wav");
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "audio"], type: "value_error" }] },
    });
    expect(response.body.detail[0].msg).toMatch(/^Value error, The file is /);
    expect(response.body.detail[0].msg).toContain(looksLike);
    expect(response.passedOn).toBeUndefined();
  });
});

describe("a recording that cannot be read", () => {
  const header = Buffer.from("RIFF\x24\0\0\0WAVEfmt ", "latin1");

  it.each([
    ["without audio", header],
    ["without its index, at the end of which it was cut off", fixture("tone.m4a").subarray(0, 5_000)],
    [
      "without a frame after its tag",
      Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\x0a"), Buffer.alloc(2_000)]),
    ],
  ])("%s is refused as audio", async (_case, bytes) => {
    const response = await postFile(bytes);
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: "unreadable_audio", param: "audio" } },
    });
    expect(response.body.detail).toMatch(/^The .*\.$/);
  });

  it("is refused by the name of the field that led to it", async () => {
    const { post } = setup(header);
    const fields = { file_id: "4f0c2f4e-9a57-4a4e-8a4c-0d6c3c1f7b21" };
    expect(await post(fields)).toMatchObject({ status: 400, body: { error: { param: "file_id" } } });
    const { post: postText } = setup(Buffer.from("hello"));
    expect(await postText(fields)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "file_id"] }] },
    });
  });
});
