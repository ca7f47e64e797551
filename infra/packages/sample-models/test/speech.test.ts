import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleInference, sampleModels, startSampleInference } from "../src/index.ts";
import { loudness, medianPitch, parseWav, toSamples } from "./audio-fixture.ts";
import { catalogue } from "./voices.ts";

let server: SampleInference;
let openai: OpenAI;

beforeAll(async () => {
  server = await startSampleInference({ voices: catalogue });
  openai = new OpenAI({ baseURL: server.baseUrl, apiKey: "any", maxRetries: 0 });
});

afterAll(() => server.close());

const greeting = "Nkusanyukidde nnyo, ssebo. Oli otya?";
const speech = { model: sampleModels.speech, input: greeting, voice: "sample_lug_1" };

const post = (body: object): Promise<Response> =>
  fetch(`${server.baseUrl}/audio/speech`, { method: "POST", body: JSON.stringify(body) });

const speak = async (wanted: object = {}) => {
  const response = await post({ ...speech, ...wanted });
  expect(response.status).toBe(200);
  return parseWav(Buffer.from(await response.arrayBuffer()));
};

const secondsOf = async (wanted: object): Promise<number> => (await speak(wanted)).samples.length / 24_000;

describe("The speech of the sample server", () => {
  it("is a WAV file of 24,000 samples a second, mono, 16 bits, as its headers say", async () => {
    const response = await post(speech);
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(response.headers.get("x-sample-rate")).toBe("24000");
    const { chunks, format } = parseWav(Buffer.from(await response.arrayBuffer()));
    expect(format).toEqual([1, 1, 24_000, 48_000, 2, 16]);
    expect(chunks).toEqual(["fmt ", "LIST", "data"]);
  });

  it("says in the file what made it and what it says", async () => {
    const input = "Ŋŋenda! Ng’ombe e-Kámpálà… 🙂";
    expect((await speak({ input })).tags).toEqual({
      ISFT: "sample inference server",
      IART: "sample-tts",
      ICMT: input,
    });
  });

  it("can be heard, does not clip, and takes about as long as a person would", async () => {
    const { samples } = await speak();
    expect(loudness(samples)).toBeGreaterThan(0.03);
    expect(samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)).toBeLessThan(32_700);
    expect(samples.length / 24_000).toBeGreaterThan(2);
    expect(samples.length / 24_000).toBeLessThan(6);
  });

  it("grows with the text", async () => {
    const once = await secondsOf({});
    const fourTimes = await secondsOf({ input: `${greeting} `.repeat(4) });
    expect(fourTimes / once).toBeGreaterThan(3.8);
    expect(fourTimes / once).toBeLessThan(4.2);
  });

  it("is bare samples when pcm is requested", async () => {
    const response = await post({ ...speech, response_format: "pcm" });
    expect(response.headers.get("content-type")).toBe("audio/pcm");
    const samples = toSamples(Buffer.from(await response.arrayBuffer()));
    expect(samples.length / 24_000).toBeCloseTo(await secondsOf({}), 1);
    expect(loudness(samples)).toBeGreaterThan(0.03);
  });

  it("has another pitch with another voice, and is alike when the same voice speaks again", async () => {
    const [woman, man, again] = [
      await speak(),
      await speak({ voice: "sample_lug_2" }),
      await speak({ seed: 7, temperature: 0.9 }),
    ];
    const measure = ({ samples }: typeof woman) => [medianPitch(samples), samples.length, loudness(samples)];
    const [pitch = 0, length = 0, level = 0] = measure(woman);
    expect(pitch).toBeGreaterThan(150);
    expect(medianPitch(man.samples)).toBeLessThan(0.7 * pitch);
    // The synthesiser never says a thing twice to the last sample, as no speaker does.
    const [pitchAgain = 0, lengthAgain = 0, levelAgain = 0] = measure(again);
    for (const ratio of [pitchAgain / pitch, lengthAgain / length, levelAgain / level]) {
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.15);
    }
  });

  it("exists in every voice of the catalogue, and none is silent or clips", async () => {
    const tags = catalogue.flatMap(({ voices }) => voices);
    expect(tags).toHaveLength(48);
    for (const tag of tags) {
      const { samples } = await speak({ voice: tag, input: "Maama." });
      expect.soft(loudness(samples), tag).toBeGreaterThan(0.02);
      expect
        .soft(
          samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0),
          tag,
        )
        .toBeLessThan(32_700);
    }
  });

  it("follows no markup: a tag that requests an hour of silence is ignored", async () => {
    const input = `Webale <break time="3600s"/> &lt;break time="3600s"/&gt; [[a:::::]] nnyo\u0000 ssebo.`;
    const { samples, tags } = await speak({ input });
    expect(samples.length / 24_000).toBeLessThan(20);
    expect(tags["ICMT"]).toBe(input);
    expect(samples.length).toBeGreaterThan(1.3 * (await speak({ input: "Webale." })).samples.length);
  });

  it("is a short silence for a text without a word, not an error", async () => {
    const { samples } = await speak({ input: "🙂 … !" });
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.every((sample) => sample === 0)).toBe(true);
  });

  it("reaches an OpenAI client", async () => {
    const response = await openai.audio.speech.create({ ...speech, response_format: "wav" });
    expect(parseWav(Buffer.from(await response.arrayBuffer())).tags["ICMT"]).toBe(greeting);
  });
});

describe("A request for speech that cannot be served", () => {
  const wrong: [title: string, body: object, param: string, code: string][] = [
    ["an unknown voice", { voice: "alloy" }, "voice", "invalid_value"],
    ["no voice", { voice: undefined }, "voice", "missing_required_parameter"],
    ["no text", { input: undefined }, "input", "missing_required_parameter"],
    ["an empty text", { input: "" }, "input", "invalid_value"],
    ["a blank text", { input: " \n" }, "input", "invalid_value"],
    ["10,001 characters", { input: "a".repeat(10_001) }, "input", "invalid_value"],
    ["a format that needs an encoder", { response_format: "mp3" }, "response_format", "unsupported_value"],
    ["events", { stream_format: "sse" }, "stream_format", "invalid_value"],
    ["a temperature of 2.1", { temperature: 2.1 }, "temperature", "invalid_value"],
    ["a top_p of 0", { top_p: 0 }, "top_p", "invalid_value"],
    ["a repetition_penalty of 2.1", { repetition_penalty: 2.1 }, "repetition_penalty", "invalid_value"],
    ["a max_tokens of 0", { max_tokens: 0 }, "max_tokens", "invalid_value"],
    ["a seed of 1.5", { seed: 1.5 }, "seed", "invalid_value"],
  ];
  it.each(wrong)("is refused with the name of the parameter (400): %s", async (_title, body, param, code) => {
    const response = await post({ ...speech, ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", param, code } });
  });

  it("gets 404: the model does not exist", async () => {
    const requested = openai.audio.speech.create({ ...speech, model: "sample-14b" });
    await expect(requested).rejects.toMatchObject({ status: 404, code: "model_not_found", param: "model" });
  });
});
