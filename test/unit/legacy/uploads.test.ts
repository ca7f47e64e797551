import { describe, expect, it, vi } from "vitest";
import { inspectAudio } from "../../../shared/audio/read-audio.ts";
import { webmOf } from "../../fixtures/audio/false-lengths.ts";
import { makeAdts, makeMp3 } from "../../fixtures/audio/make-mpeg.ts";
import { recordingsInMemory } from "../../support/legacy.ts";
import { formFile } from "../../support/multipart.ts";

const fileId = "3f0a2c1e-7d4b-4c58-9a51-0e6b6a0f2d11";

describe("POST /tasks/stt_from_gcs", () => {
  const name = `uploads/${fileId}/interview.mp3`;

  it.each([[name], [fileId.toUpperCase()]])(
    "transcribes the upload %s, also from a urlencoded form",
    async (named) => {
      const { send, upload, stored } = recordingsInMemory();
      upload(fileId, makeMp3(100));
      const body = new URLSearchParams({ gcs_blob_name: named, adapter: "kin" }).toString();
      const headers = { "Content-Type": "application/x-www-form-urlencoded", Authorization: "Bearer right" };
      expect(await send({ path: "/tasks/stt_from_gcs", body, headers })).toMatchObject({
        status: 200,
        body: { language: "kin", audio_transcription_id: 12, audio_url: expect.stringMatching(/\.mp3$/) },
      });
      expect(stored()).toHaveLength(1);
    },
  );

  it("transcribes what it says it does of a longer one: the first ten minutes", async () => {
    const { post, upload, transcribe } = recordingsInMemory();
    upload(fileId, makeAdts(10_000));
    expect(await post("/tasks/stt_from_gcs", { gcs_blob_name: name })).toMatchObject({
      body: { was_audio_trimmed: true },
    });
    const { recording } = transcribe.mock.calls[0]?.[0] ?? {};
    expect(recording && (await inspectAudio(recording.source)).durationSeconds).toBeLessThan(600.3);
  });

  it.each([
    ["", 422, "validation_failed"],
    ["interview.mp3", 400, "bad_request"],
    ["../uploads/x", 400, "bad_request"],
    [`speech/${fileId}/x.wav`, 400, "bad_request"],
    [`uploads/${fileId}/a/b`, 400, "bad_request"],
    [`x/uploads/${fileId}/a`, 400, "bad_request"],
    [`${fileId}0`, 400, "bad_request"],
  ])("knows no upload called %j", async (wrong, status, code) => {
    const { post, upload } = recordingsInMemory();
    upload(fileId, makeMp3(100));
    expect(await post("/tasks/stt_from_gcs", { gcs_blob_name: wrong })).toMatchObject({
      status,
      body: { error: { code, param: "gcs_blob_name" } },
    });
  });

  it("refuses another account's upload like one that has not arrived", async () => {
    const legacy = recordingsInMemory();
    const foreign = await legacy.post("/tasks/stt_from_gcs", { gcs_blob_name: name });
    legacy.upload(fileId, Buffer.alloc(1));
    legacy.objects.clear();
    const empty = await legacy.post("/tasks/stt_from_gcs", { gcs_blob_name: name });
    expect([foreign.status, empty.status]).toEqual([400, 400]);
    expect(foreign.body.detail).toBe(empty.body.detail);
  });

  it("advises to split what is larger than 100 MB, without reading it", async () => {
    const legacy = recordingsInMemory();
    legacy.upload(fileId, Buffer.alloc(0));
    const get = vi.spyOn(legacy.objects, "get");
    const huge = Buffer.alloc(0);
    Object.defineProperty(huge, "length", { value: 104_857_601 });
    get.mockReturnValue(huge);
    const response = await legacy.post("/tasks/stt_from_gcs", { gcs_blob_name: name });
    expect(response).toMatchObject({ status: 413, body: { error: { param: "gcs_blob_name" } } });
    expect(response.body.detail).toContain("Split the recording");
    expect([...legacy.objects.keys()]).toEqual([]);
  });

  it("refuses a longer recording whose times do not say where it can be cut", async () => {
    const { post, upload, stored } = recordingsInMemory();
    upload(fileId, webmOf({ scale: 1_000 }));
    const response = await post("/tasks/stt_from_gcs", { gcs_blob_name: name });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: "unreadable_audio", param: "gcs_blob_name" } },
    });
    expect(response.body.detail).toContain("cannot be shortened");
    expect(stored()).toEqual([]);
  });
});

describe("an upload that is transcribed again", () => {
  const transcribe = (legacy: ReturnType<typeof recordingsInMemory>, language = "lug") =>
    legacy.post("/tasks/stt_from_gcs", { gcs_blob_name: fileId, language });

  it.each([
    ["short", () => makeMp3(100)],
    ["long", () => makeAdts(10_000)],
  ])("is stored once, however often it is used: a %s one", async (_case, make) => {
    const legacy = recordingsInMemory();
    legacy.upload(fileId, make());
    for (const language of ["lug", "ach", "nyn", "teo", "eng"]) await transcribe(legacy, language);
    expect(legacy.store.write).toHaveBeenCalledTimes(1);
    // A name that reveals neither the account nor the source.
    expect(legacy.stored().map(([name]) => name)).toEqual([
      expect.stringMatching(/^transcriptions\/[0-9a-f]{32}\.\w{3}$/),
    ]);
    expect([...legacy.saved.transcriptions.keys()]).toEqual([12, 13, 14, 15, 16]);
    expect(legacy.transcribe).toHaveBeenCalledTimes(5);
  });

  it("stays for the one that was saved when another fails", async () => {
    const legacy = recordingsInMemory();
    legacy.upload(fileId, makeMp3(100));
    await transcribe(legacy);
    legacy.transcribe.mockResolvedValueOnce({ text: "", segments: undefined });
    expect(await transcribe(legacy)).toMatchObject({ status: 502 });
    expect(legacy.stored()).toHaveLength(1);
  });

  it("stays until the last transcription of it is deleted", async () => {
    const legacy = recordingsInMemory();
    legacy.upload(fileId, makeMp3(100));
    await transcribe(legacy);
    await transcribe(legacy, "ach");
    expect(await legacy.remove(12)).toMatchObject({ status: 200 });
    expect(legacy.stored()).toHaveLength(1);
    expect(await legacy.remove(13)).toMatchObject({ status: 200 });
    expect(legacy.stored()).toHaveLength(0);
    expect(legacy.saved.transcriptions.size).toBe(0);
  });
});

describe("a file that is sent again", () => {
  const transcribe = (legacy: ReturnType<typeof recordingsInMemory>, bytes: Buffer) =>
    legacy.post("/tasks/stt", { audio: formFile(bytes), language: "lug" });

  it.each([
    ["short", () => makeMp3(100)],
    ["long", () => makeAdts(10_000)],
  ])("is stored once, for as long as its newest transcription: a %s one", async (_case, make) => {
    const legacy = recordingsInMemory();
    for (let times = 0; times < 3; times += 1) await transcribe(legacy, make());
    expect(legacy.stored()).toHaveLength(1);
    expect(legacy.store.write).toHaveBeenCalledTimes(3);
    expect([...legacy.saved.transcriptions.keys()]).toEqual([12, 13, 14]);
    expect(await legacy.remove(12)).toMatchObject({ status: 200 });
    expect(await legacy.remove(13)).toMatchObject({ status: 200 });
    expect(legacy.stored()).toHaveLength(1);
    expect(await legacy.remove(14)).toMatchObject({ status: 200 });
    expect(legacy.stored()).toHaveLength(0);
  });

  it("is another recording when it differs", async () => {
    const legacy = recordingsInMemory();
    await transcribe(legacy, makeMp3(100));
    await transcribe(legacy, makeMp3(101));
    expect(legacy.stored()).toHaveLength(2);
  });
});

/** The header of a WAV file, as one that does not say how long the file is. */
