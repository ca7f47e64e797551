import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import {
  type Behaviour,
  type FakeBackend,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { decodeForm } from "../../../support/multipart.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const recording = {
  source: bufferSource(wavFile(audioBytes(4_000), { stated: true })),
  mediaType: "audio/wav",
  fileExtension: "wav",
};

/** Transcribes, and records the texts passed on meanwhile. */
const transcribe = async (
  requested: { withWords?: boolean; withSegments?: boolean; prompt?: string } = {},
) => {
  const texts: string[] = [];
  const transcriber = createOpenAiTranscriber([
    modelServer(
      { baseUrl: backend.baseUrl, apiKey: async () => "the-key", silenceMilliseconds: 500 },
      "model-1",
    ),
  ]);
  const outcome = await transcriber
    .transcribe(
      { recording, language: "lug", withSegments: false, ...requested },
      { signal: new AbortController().signal, onText: (text) => texts.push(text) },
    )
    .catch((error: unknown) => error);
  return { texts, outcome };
};

const sentForms = () =>
  Promise.all(backend.received.map(({ bytes, headers }) => decodeForm(bytes, headers["content-type"])));

const sentGranularities = () =>
  backend.received.map(({ bytes }) =>
    [...bytes.toString("latin1").matchAll(/name="timestamp_granularities\[\]"\r\n\r\n(\w+)/g)].map(
      ([, granularity]) => granularity,
    ),
  );

const streaming =
  (events: readonly (object | string)[], { isCut = false } = {}): Behaviour =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    }
    if (isCut) setTimeout(() => response.destroy(), 20);
    else response.end();
  };

const delta = (text: string) => ({ type: "transcript.text.delta", delta: text });
const chunk = (content: string, finishReason: string | null = null) => ({
  object: "transcription.chunk",
  choices: [{ delta: { content }, finish_reason: finishReason }],
});

describe("a transcription whose text is passed on as a stream", () => {
  it("comes in the events of the OpenAI API", async () => {
    backend.behave(
      streaming([delta(" Oli"), delta(" otya?"), { type: "transcript.text.done", text: "Oli otya?" }]),
    );
    expect(await transcribe({ prompt: "Kampala" })).toEqual({
      texts: ["Oli", " otya?"],
      outcome: { text: "Oli otya?", segments: undefined },
    });
    const [form] = await sentForms();
    expect([form?.get("stream"), form?.get("prompt")]).toEqual(["true", "Kampala"]);
  });

  it.each([
    ["by the reason of its end", [chunk("Oli"), chunk(" otya?", "stop")]],
    ["by the last event", [chunk("Oli"), chunk(" otya?"), "[DONE]"]],
  ])("comes in the chunks of vLLM, whose end is known %s", async (_case, events) => {
    backend.behave(streaming(events));
    expect(await transcribe()).toMatchObject({ texts: ["Oli", " otya?"], outcome: { text: "Oli otya?" } });
  });

  it("comes as one piece from a server that does not stream", async () => {
    backend.behave(responding(200, { text: "Oli otya?" }));
    expect(await transcribe()).toMatchObject({ texts: ["Oli otya?"], outcome: { text: "Oli otya?" } });
  });

  it("is requested again without a stream where that is refused", async () => {
    backend.behave(
      responding(400, { error: { message: "stream is not supported for this model" } }),
      responding(200, { text: "Oli" }),
    );
    expect(await transcribe()).toMatchObject({ texts: ["Oli"], outcome: { text: "Oli" } });
    expect((await sentForms()).map((form) => form.get("stream"))).toEqual(["true", undefined]);
  });

  it.each([
    ["is cut off", streaming([delta("Oli")], { isCut: true })],
    ["ends too early", streaming([delta("Oli")])],
    ["reports a failure", streaming([delta("Oli"), { error: { message: "out of memory" } }])],
    ["is no JSON", streaming([delta("Oli"), "{"])],
  ])("fails once it has started and the stream %s, and is not restarted", async (_case, behaviour) => {
    backend.behave(behaviour, responding(200, { text: "Another" }));
    const { texts, outcome } = await transcribe();
    expect(texts).toEqual(["Oli"]);
    expect(outcome).toMatchObject({ code: "external_service_error" });
    expect(backend.received).toHaveLength(1);
  });
});

describe("the times of words", () => {
  const words = [
    { word: " Oli", start: 0, end: 0.4 },
    { word: "otya?", start: 0.5, end: 0.3 },
  ];

  it("are requested together with those of segments, and returned without blanks", async () => {
    backend.behave(responding(200, { text: "Oli otya?", segments: [], words }));
    const { outcome } = await transcribe({ withWords: true });
    expect(outcome).toMatchObject({
      words: [
        { text: "Oli", start: 0, end: 0.4 },
        { text: "otya?", start: 0.5, end: 0.5 },
      ],
    });
    expect(sentGranularities()).toEqual([["segment", "word"]]);
    expect((await sentForms())[0]?.has("stream")).toBe(false);
  });

  it("are done without where a server refuses them", async () => {
    backend.behave(
      responding(400, { error: { message: "timestamp_granularities: 'word' is not supported" } }),
      responding(200, { text: "Oli", segments: [] }),
    );
    expect((await transcribe({ withWords: true })).outcome).toEqual({ text: "Oli", segments: [] });
    expect(sentGranularities()).toEqual([["segment", "word"], ["segment"]]);
  });
});

describe("what a model of the Whisper family reports about a segment", () => {
  const details = {
    seek: 0,
    tokens: [1, 2],
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 1.1,
    no_speech_prob: 0.01,
  };

  it("is included, each of it for itself", async () => {
    const segments = [
      { start: 0, end: 1, text: "Oli", ...details },
      { start: 1, end: 2, text: "otya?", ...details, tokens: "none" },
    ];
    backend.behave(responding(200, { text: "Oli otya?", segments }));
    expect((await transcribe({ withSegments: true })).outcome).toMatchObject({
      segments: [
        {
          text: "Oli",
          details: { tokens: [1, 2], averageLogProbability: -0.2, noSpeechProbability: 0.01 },
        },
        { start: 1, end: 2, text: "otya?", details: { averageLogProbability: -0.2, seek: 0 } },
      ],
    });
  });
});
