import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import type { TranscriptionRequest } from "../../../../shared/models/inference/transcription.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { decodeForm } from "../../../support/multipart.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const recording = {
  source: bufferSource(wavFile(audioBytes(48_000), { stated: true })),
  mediaType: "audio/wav",
  fileExtension: "wav",
};

const transcribe = (request: Partial<TranscriptionRequest>) =>
  createOpenAiTranscriber([
    modelServer(
      { baseUrl: backend.baseUrl, apiKey: async () => undefined, silenceMilliseconds: 500 },
      "model-1",
    ),
  ]).transcribe(
    { recording, language: "lug", withSegments: false, ...request },
    { signal: new AbortController().signal },
  );

/** A transcriber of servers with these profiles, all at the same address, and with keys that differ. */
const transcriberAt = (profiles: readonly { readonly diarizes?: boolean }[], diarizer?: FakeBackend) => {
  const [first, ...others] = profiles.map((transcription, index) =>
    modelServer(
      {
        name: `server-${index}`,
        baseUrl: backend.baseUrl,
        apiKey: async () => `key-${index}`,
        profile: { transcription },
      },
      "model-1",
    ),
  );
  if (!first) throw new Error("There is no server.");
  const transcriber = createOpenAiTranscriber([first, ...others], {
    diarizer: diarizer && modelServer({ name: "diarization", baseUrl: diarizer.baseUrl }, "turns"),
  });
  return (request: Partial<TranscriptionRequest>) =>
    transcriber.transcribe(
      { recording, language: "lug", withSegments: false, ...request },
      { signal: new AbortController().signal },
    );
};

const receivedForms = (from: FakeBackend = backend) =>
  Promise.all(from.received.map(({ bytes, headers }) => decodeForm(bytes, headers["content-type"])));

const diarized = {
  task: "transcribe",
  duration: 27.4,
  text: "Oli otya? Bulungi.",
  segments: [
    { type: "transcript.text.segment", id: "seg_001", start: 0, end: 4.7, text: " Oli otya?", speaker: "A" },
    {
      type: "transcript.text.segment",
      id: "seg_002",
      start: 4.7,
      end: 11.8,
      text: " Bulungi.",
      speaker: "B",
    },
  ],
};

describe("a transcription that is to tell who speaks", () => {
  it("requests it in the format of OpenAI's own diarization", async () => {
    backend.behave(responding(200, diarized));
    expect(await transcribe({ speakers: "attempted" })).toEqual({
      text: "Oli otya? Bulungi.",
      segments: [
        { start: 0, end: 4.7, text: "Oli otya?", speaker: "A" },
        { start: 4.7, end: 11.8, text: "Bulungi.", speaker: "B" },
      ],
    });
    const [form] = await receivedForms();
    expect(form?.get("response_format")).toBe("diarized_json");
    expect(form?.get("chunking_strategy")).toBe("auto");
    expect(form?.has("timestamp_granularities[]")).toBe(false);
  });

  it.each([
    [400, { error: { message: "response_format 'diarized_json' is not compatible with model 'x'." } }],
    [422, { detail: [{ loc: ["body", "chunking_strategy"], msg: "Extra inputs are not permitted" }] }],
  ])("does without when the server refuses it with %i", async (status, refusal) => {
    backend.behave(responding(status, refusal), responding(200, { text: "Oli otya?" }));
    expect(await transcribe({ speakers: "attempted" })).toEqual({ text: "Oli otya?", segments: undefined });
    const forms = await receivedForms();
    expect(forms.map((form) => form.get("response_format"))).toEqual(["diarized_json", "json"]);
    expect(forms[1]?.has("chunking_strategy")).toBe(false);
  });

  it.each([[null], [""], [7], [undefined]])("does not use the speaker %j as a name", async (speaker) => {
    backend.behave(responding(200, { text: "Oli", segments: [{ start: 0, end: 1, text: "Oli", speaker }] }));
    expect((await transcribe({ speakers: "attempted" })).segments).toEqual([
      { start: 0, end: 1, text: "Oli" },
    ]);
  });
});

const plain = responding(200, { text: "Oli otya?", segments: [{ start: 0, end: 1, text: "Oli otya?" }] });
const refusing = responding(400, { error: { message: "response_format must be one of json, text" } });
const formats = async (from: FakeBackend = backend) =>
  (await receivedForms(from)).map((form) => form.get("response_format"));

describe("a transcription that requires speakers", () => {
  const noSpeakers = { code: "unsupported_parameter", status: 400 };

  it.each([
    ["refuses them", refusing],
    ["returns none", plain],
  ])("is refused by a server that %s, which is then known", async (_title, behaviour) => {
    backend.behave(behaviour);
    const transcriber = transcriberAt([{}]);
    await expect(transcriber({ speakers: "required" })).rejects.toMatchObject(noSpeakers);
    await expect(transcriber({ speakers: "required" })).rejects.toMatchObject(noSpeakers);
    expect(await formats()).toEqual(["diarized_json"]);
  });

  it("is refused without a call where the profile says that the model distinguishes none", async () => {
    backend.behave(plain);
    const transcriber = transcriberAt([{ diarizes: false }]);
    await expect(transcriber({ speakers: "required" })).rejects.toMatchObject(noSpeakers);
    expect(backend.received).toHaveLength(0);
  });

  it("goes to a server of the list whose profile says that it can, in any order", async () => {
    backend.behave(responding(200, diarized));
    const transcriber = transcriberAt([{}, { diarizes: false }, { diarizes: true }]);
    expect((await transcriber({ speakers: "required" })).segments?.[1]?.speaker).toBe("B");
    expect(backend.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-2"]);
  });

  it("goes to the next server when the first one refuses it", async () => {
    backend.behave(refusing, responding(200, diarized));
    const transcriber = transcriberAt([{}, {}]);
    expect((await transcriber({ speakers: "required" })).segments?.[0]?.speaker).toBe("A");
    expect(await formats()).toEqual(["diarized_json", "diarized_json"]);
  });

  it("may have none in silence, and after a server has distinguished some before", async () => {
    backend.behave(responding(200, { text: "" }), responding(200, diarized), plain);
    const transcriber = transcriberAt([{}]);
    const texts = [];
    for (let call = 0; call < 3; call += 1) texts.push((await transcriber({ speakers: "required" })).text);
    expect(texts).toEqual(["", "Oli otya? Bulungi.", "Oli otya?"]);
  });
});

describe("a server that only distinguishes speakers", () => {
  let turns: FakeBackend;
  beforeAll(async () => {
    turns = await startFakeBackend();
  });
  afterAll(() => turns.close());

  const wordsAndTurns = () => {
    turns.received.length = 0;
    backend.behave(
      responding(200, {
        text: "Oli otya? Bulungi.",
        segments: [{ start: 0, end: 3, text: "Oli otya? Bulungi." }],
        words: [
          { word: "Oli", start: 0, end: 0.5 },
          { word: "otya?", start: 0.5, end: 1 },
          { word: "Bulungi.", start: 2, end: 3 },
        ],
      }),
    );
    // Without words.
    turns.behave(
      responding(200, {
        segments: [
          { start: 0, end: 1.2, speaker: "SPEAKER_01" },
          { start: 1.8, end: 3.1, speaker: "SPEAKER_00" },
        ],
      }),
    );
  };

  it("lays its turns over the words of one that does not", async () => {
    wordsAndTurns();
    const transcriber = transcriberAt([{ diarizes: false }], turns);
    expect((await transcriber({ speakers: "required" })).segments).toEqual([
      { start: 0, end: 1, text: "Oli otya?", speaker: "SPEAKER_01" },
      { start: 2, end: 3, text: "Bulungi.", speaker: "SPEAKER_00" },
    ]);
    const [words, who] = [(await receivedForms())[0], (await receivedForms(turns))[0]];
    expect([words?.get("response_format"), words?.get("language")]).toEqual(["verbose_json", "lg"]);
    expect([who?.get("response_format"), who?.has("language")]).toEqual(["diarized_json", false]);
  });

  it("is called for routes that can do without speakers, and for no one else", async () => {
    wordsAndTurns();
    const transcriber = transcriberAt([{ diarizes: false }], turns);
    await transcriber({});
    await transcriber({ speakers: "if-known" });
    expect(turns.received).toHaveLength(0);
    expect((await transcriber({ speakers: "attempted" })).segments?.[0]?.speaker).toBe("SPEAKER_01");
  });

  it("is not called while a server of transcription distinguishes speakers", async () => {
    wordsAndTurns();
    backend.behave(responding(200, diarized));
    const { segments } = await transcriberAt([{ diarizes: true }], turns)({ speakers: "required" });
    expect(segments?.[0]?.speaker).toBe("A");
    expect(turns.received).toHaveLength(0);
  });

  it("fails the transcription when it fails", async () => {
    wordsAndTurns();
    turns.behave(responding(500, { error: "CUDA" }));
    const failing = transcriberAt([{ diarizes: false }], turns)({ speakers: "required" });
    await expect(failing).rejects.toMatchObject({ code: "external_service_error" });
  });
});

describe("a transcription without speakers", () => {
  it("has none of a server that returns some unrequested", async () => {
    backend.behave(responding(200, diarized));
    const { segments } = await transcribe({ withSegments: true });
    expect(segments?.[0]).toEqual({ start: 0, end: 4.7, text: "Oli otya?" });
  });

  it("requests speakers of a server that is known for them when they are welcome", async () => {
    backend.behave(responding(200, diarized));
    await transcriberAt([{}])({ speakers: "if-known" });
    await transcriberAt([{ diarizes: true }])({ speakers: "if-known" });
    expect(await formats()).toEqual(["json", "diarized_json"]);
  });
});

describe("a transcription in an unknown language", () => {
  it("leaves it to the server to find it out", async () => {
    backend.behave(responding(200, { text: "Oli otya?" }));
    await transcribe({ language: undefined });
    expect((await receivedForms())[0]?.has("language")).toBe(false);
  });
});
