import { describe, expect, it } from "vitest";
import { batchResponse, speechResponse } from "../../../functions/speech/speech-results.ts";
import { speechInMemory } from "../../support/fake-speech.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { decodeAudio } from "../../support/test-audio.ts";

const text = "Wasuze otya nno?";

const setup = () => {
  const memory = speechInMemory();
  const post = (body: object, headers: Record<string, string> = {}, path = "/tasks/audio/speech") =>
    send(memory.endpoints, { path, body, headers, authorizer: authorizedCaller });
  return { ...memory, post };
};

const formats = [
  ["wav", "audio/wav", "wav"],
  ["mp3", "audio/mpeg", "mp3"],
  ["opus", "audio/ogg; codecs=opus", "ogg"],
] as const;

describe("audio_format", () => {
  it.each(formats)("%s is stored and offered as what it is", async (format, contentType, extension) => {
    const { post, objects, store } = setup();
    const { status, body } = await post({ text, audio_format: format });
    expect(status).toBe(200);
    expect(speechResponse.parse(body)).toEqual(body);
    expect(body.storage_object).toMatch(new RegExp(`/[0-9a-f]{32}\\.${extension}$`));
    expect(store.write).toHaveBeenCalledWith(body.storage_object, { contentType });
    expect(store.signDownload).toHaveBeenCalledWith(body.storage_object, {
      contentType,
      fileName: `speech.${extension}`,
    });
    const file = objects.get(body.storage_object) ?? Buffer.alloc(0);
    expect(body).toMatchObject({
      sample_rate: 24_000,
      duration_seconds: 1.6,
      usage: { output_audio_bytes: file.length, duration_seconds: 1.6 },
    });
    const { samples, sampleRate } = await decodeAudio(format, file);
    expect(samples.length / sampleRate).toBeCloseTo(1.6, 0);
  });

  it.each(formats)(
    "%s gets a fresh link that presents it as what it is",
    async (_format, contentType, extension) => {
      const { endpoints, objects, store } = setup();
      const name = `speech/2026-11-20/${authorizedCaller.userId}/${"0".repeat(32)}.${extension}`;
      objects.set(name, Buffer.from("sound"));
      const { status } = await send(endpoints, {
        method: "GET",
        path: "/tasks/audio/speech/url",
        query: { storage_object: name },
        authorizer: authorizedCaller,
      });
      expect(status).toBe(200);
      expect(store.signDownload).toHaveBeenCalledWith(name, { contentType, fileName: `speech.${extension}` });
    },
  );

  it.each(["flac", "exe", "ogg/../wav"])("no other ending is a name of speech: %s", async (extension) => {
    const { endpoints, objects } = setup();
    const name = `speech/2026-11-20/${authorizedCaller.userId}/${"0".repeat(32)}.${extension}`;
    objects.set(name, Buffer.from("sound"));
    const path = "/tasks/audio/speech/url";
    const query = { storage_object: name };
    const response = await send(endpoints, { method: "GET", path, query, authorizer: authorizedCaller });
    expect(response.status).toBe(404);
  });

  it("of a batch holds for all of its items", async () => {
    const { post, objects } = setup();
    const body = { items: [{ text }, { text: "Webale" }], audio_format: "mp3" };
    const response = await post(body, {}, "/tasks/audio/speech/batch");
    expect(batchResponse.parse(response.body)).toEqual(response.body);
    for (const result of response.body.results) {
      expect(result.storage_object).toMatch(/\.mp3$/);
      expect(result.audio_size_bytes).toBe(objects.get(result.storage_object)?.length);
    }
    expect(response.body.usage.duration_seconds).toBe(2.2);
  });

  it.each([{ audio_format: "flac" }, { audio_format: 1 }])("is refused with 422: %j", async (wrong) => {
    expect(await setup().post({ text, ...wrong })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "audio_format"] }] },
    });
  });
});

describe("the header Save-Data", () => {
  const kindOf = async (body: object, headers: Record<string, string>) => {
    const { post } = setup();
    const response = await post({ text, ...body }, headers);
    expect(response.headers["Vary"]).toBe("Save-Data");
    return response.body.storage_object.slice(-4);
  };

  it("requests Opus where the request names no format", async () => {
    expect(await kindOf({}, { "Save-Data": "on" })).toBe(".ogg");
    expect(await kindOf({ audio_format: null }, { "save-data": " On " })).toBe(".ogg");
    expect(await kindOf({}, { "Save-Data": "off" })).toBe(".wav");
    expect(await kindOf({}, {})).toBe(".wav");
  });

  it("says less than the request itself", async () => {
    expect(await kindOf({ audio_format: "wav" }, { "Save-Data": "on" })).toBe(".wav");
  });

  it("goes for batches, too", async () => {
    const { post } = setup();
    const { headers, body } = await post(
      { items: [{ text }] },
      { "Save-Data": "on" },
      "/tasks/audio/speech/batch",
    );
    expect(headers["Vary"]).toBe("Save-Data");
    expect(body.results[0].storage_object).toMatch(/\.ogg$/);
  });
});
