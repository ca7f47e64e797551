import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type SampleInference, sampleModels, startSampleInference } from "../src/index.ts";
import { noRecogniser } from "../src/transcription/transcript.ts";
import { makeTone, makeWav } from "./audio-fixture.ts";
import { catalogue } from "./voices.ts";

const model = sampleModels.transcription;

const verboseBody = z.strictObject({
  task: z.literal("transcribe"),
  language: z.string(),
  duration: z.number(),
  text: z.string(),
  segments: z.array(
    z.strictObject({ id: z.int(), start: z.number(), end: z.number(), text: z.string().min(1) }),
  ),
});

let server: SampleInference;
let openai: OpenAI;

beforeAll(async () => {
  server = await startSampleInference({ voices: catalogue });
  openai = new OpenAI({ baseURL: server.baseUrl, apiKey: "any", maxRetries: 0 });
});

afterAll(() => server.close());

const speak = async (input: string, voice = "sample_lug_1"): Promise<Buffer> => {
  const response = await openai.audio.speech.create({
    model: sampleModels.speech,
    input,
    voice,
    response_format: "wav",
  });
  return Buffer.from(await response.arrayBuffer());
};

const form = (file: Buffer | undefined, fields: Record<string, string> = {}): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model, ...fields })) form.append(name, value);
  if (file) form.append("file", new Blob([new Uint8Array(file)]), "recording.wav");
  return form;
};

const post = (body: FormData): Promise<Response> =>
  fetch(`${server.baseUrl}/audio/transcriptions`, { method: "POST", body });

const transcribe = async (file: Buffer, fields: Record<string, string> = {}) => {
  const response = await post(form(file, { response_format: "verbose_json", ...fields }));
  expect(response.status).toBe(200);
  return verboseBody.parse(await response.json());
};

describe("A transcription of what the sample server has spoken", () => {
  it.each([
    [
      "Luganda with apostrophes",
      "Ng’ombe za ssebo zigenze. Nnyabo, ng'oyagala ki? Gw'ensiri!",
      "sample_lug_1",
    ],
    ["Yoruba with marks", "Ẹ káàárọ̀. Ṣé dáadáa ni? Ọmọ náà ti dé.", "sample_yor_1"],
    ["Ewe with its own letters", "Ŋdi na mi! Ɖeviawo le fefem ƒe gbe. Ɣetrɔ ɖo.", "sample_ewe_1"],
    ["emoji and symbols", "Webale nnyo 🙏🏽! <b>Tugende</b> & tulye 👩‍👩‍👧.", "sample_lug_1"],
    ["line breaks and odd spaces", "  Emu\n\nbbiri,\tssatu \u00a0nnya\n", "sample_nyn_1"],
  ])("is the text, to the last character: %s", async (_title, input, voice) => {
    const { text, segments, duration, language } = await transcribe(await speak(input, voice), {
      language: "lug",
    });
    expect(text).toBe(input);
    expect(language).toBe("lug");
    const words = (value: string) => value.split(/\s+/u).filter(Boolean);
    expect(words(segments.map((segment) => segment.text).join(" "))).toEqual(words(input));
    let end = 0;
    for (const [index, segment] of segments.entries()) {
      expect(segment.id).toBe(index);
      expect(segment.start).toBeGreaterThanOrEqual(end);
      expect(segment.end).toBeGreaterThan(segment.start);
      end = segment.end;
    }
    expect(end).toBeLessThanOrEqual(duration);
  });

  it("has one segment a sentence, which lasts from pause to pause", async () => {
    const sentences = ["Oli otya, ssebo?", "Nkusanyukidde nnyo ddala, kale tugende.", "Weeraba!"];
    const { segments, duration } = await transcribe(await speak(sentences.join(" ")));
    expect(segments.map(({ text }) => text)).toEqual(sentences);
    const [first, second, third] = segments;
    expect((second?.start ?? 0) - (first?.end ?? 0)).toBeGreaterThan(0.25);
    expect((third?.start ?? 0) - (second?.end ?? 0)).toBeGreaterThan(0.25);
    expect(duration).toBeGreaterThan(third?.end ?? Number.POSITIVE_INFINITY);
  });

  it("reaches an OpenAI client in each of the formats", async () => {
    const spoken = await speak("Webale nnyo.");
    const file = () => toFile(spoken, "speech.wav");
    const json = await openai.audio.transcriptions.create({ file: await file(), model });
    expect(json).toEqual({ text: "Webale nnyo." });
    const verbose = await openai.audio.transcriptions.create({
      file: await file(),
      model,
      language: "Luganda",
      response_format: "verbose_json",
      timestamp_granularities: ["segment"],
    });
    expect(verbose.language).toBe("Luganda");
    expect(verbose.segments?.map(({ text }) => text)).toEqual(["Webale nnyo."]);
    const plain = await openai.audio.transcriptions.create({
      file: await file(),
      model,
      response_format: "text",
    });
    expect(plain).toBe("Webale nnyo.");
  });
});

describe("A transcription with more than its text", () => {
  it("has the times of words, one after the other, within those of their sentence", async () => {
    const spoken = await speak("Oli otya, ssebo? Weeraba!");
    const { segments, words } = await openai.audio.transcriptions.create({
      file: await toFile(spoken, "speech.wav"),
      model,
      response_format: "verbose_json",
      timestamp_granularities: ["segment", "word"],
    });
    expect(words?.map(({ word }) => word)).toEqual(["Oli", "otya,", "ssebo?", "Weeraba!"]);
    const times = words?.flatMap(({ start, end }) => [start, end]) ?? [];
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect([times[0], times.at(-1)]).toEqual([segments?.[0]?.start, segments?.at(-1)?.end]);
  });

  it("leaves sentence by sentence as a stream of events", async () => {
    const stream = await openai.audio.transcriptions.create({
      file: await toFile(await speak("Oli otya? Weeraba!"), "speech.wav"),
      model,
      stream: true,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toEqual([
      { type: "transcript.text.delta", delta: "Oli otya?" },
      { type: "transcript.text.delta", delta: " Weeraba!" },
      { type: "transcript.text.done", text: "Oli otya? Weeraba!" },
    ]);
  });
});

describe("A transcription of any other recording", () => {
  const honest = noRecogniser;

  it("says that there is no recogniser, and where there is speech", async () => {
    const recording = makeWav(
      makeTone(4, [
        [0.5, 1.5],
        [2.5, 3.2],
      ]),
      16_000,
    );
    expect(await transcribe(recording, { language: "nyn" })).toEqual({
      task: "transcribe",
      language: "nyn",
      duration: 4,
      text: honest,
      segments: [
        { id: 0, start: expect.closeTo(0.5, 1), end: expect.closeTo(1.5, 1), text: honest },
        { id: 1, start: expect.closeTo(2.5, 1), end: expect.closeTo(3.2, 1), text: honest },
      ],
    });
  });

  it("does not read another writer's comment in the file", async () => {
    const spoken = await speak("Webale nnyo.");
    const others = Buffer.from(
      spoken.toString("latin1").replace("sample inference server", "somebody else's program"),
      "latin1",
    );
    expect((await transcribe(others)).text).toBe(honest);
  });

  it("is one segment from beginning to end for a format that is not listened to", async () => {
    // 64 kilobits a second: 8,000 bytes are one second.
    const mp3 = Buffer.alloc(16_000);
    mp3.writeUInt32BE(0xff_fb_50_00, 0);
    expect(await transcribe(mp3)).toMatchObject({
      language: "und",
      duration: 2,
      text: honest,
      segments: [{ id: 0, start: 0, end: 2, text: honest }],
    });
  });

  it("is empty for silence", async () => {
    const silence = makeWav(new Int16Array(16_000), 16_000);
    expect(await transcribe(silence)).toMatchObject({ duration: 1, text: "", segments: [] });
    const plain = await post(form(silence, { response_format: "text" }));
    expect(plain.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await plain.text()).toBe("");
  });
});

describe("A request for a transcription that cannot be served", () => {
  const tone = makeWav(makeTone(0.5, [[0, 0.5]]), 16_000);
  const wrong: [title: string, body: FormData, status: number, param: string | null, code: string | null][] =
    [
      ["without a file", form(undefined), 400, "file", "missing_required_parameter"],
      [
        "with a file that is a plain field",
        form(undefined, { file: "x" }),
        400,
        "file",
        "missing_required_parameter",
      ],
      ["with an empty file", form(Buffer.alloc(0)), 400, "file", "invalid_value"],
      ["of an unknown model", form(tone, { model: "whisper-1" }), 404, "model", "model_not_found"],
      ["as subtitles", form(tone, { response_format: "srt" }), 400, "response_format", "unsupported_value"],
      [
        "with the times of syllables",
        form(tone, { "timestamp_granularities[]": "syllable" }),
        400,
        "timestamp_granularities[][0]",
        "invalid_value",
      ],
      ["with a field too long", form(tone, { prompt: "x".repeat(65_537) }), 400, null, null],
    ];
  it.each(wrong)("is refused: %s", async (_title, body, status, param, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", param, code } });
  });

  it("is refused without a model (400)", async () => {
    const body = form(tone);
    body.delete("model");
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { param: "model", code: "missing_required_parameter" },
    });
  });

  it.each([
    ["application/json", "{}"],
    ["multipart/form-data", "--x--"],
    ["multipart/mixed; boundary=x", "--x--"],
  ])("is refused when it is not a form (400): %s", async (type, body) => {
    const response = await fetch(`${server.baseUrl}/audio/transcriptions`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("multipart") } });
  });
});
