import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import type { GivenProfile } from "../../../../shared/models/inference/profile-schema.ts";
import type { Recording } from "../../../../shared/models/inference/transcription.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import {
  type FakeBackend,
  hanging,
  resetting,
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

const file = wavFile(audioBytes(200_000), { stated: true });
const recording: Recording = { source: bufferSource(file), mediaType: "audio/wav", fileExtension: "wav" };

const transcribe = (overrides: { withSegments?: boolean; recording?: Recording; baseUrl?: string } = {}) => {
  const { baseUrl = backend.baseUrl, ...request } = overrides;
  return createOpenAiTranscriber([
    modelServer({ baseUrl, apiKey: async () => "the-key", silenceMilliseconds: 500 }, "model-1"),
  ]).transcribe(
    { recording, language: "lug", withSegments: false, ...request },
    { signal: new AbortController().signal },
  );
};

const receivedForms = () =>
  Promise.all(backend.received.map(({ bytes, headers }) => decodeForm(bytes, headers["content-type"])));

const segments = [
  { id: 0, start: 0, end: 1.5, text: " Wasuze otya " },
  { id: 1, start: 1.5, end: 1.5, text: " " },
  { id: 2, start: 2, end: 3.25, text: "nno?" },
];
const verbose = {
  task: "transcribe",
  language: "lug",
  duration: "3.25",
  text: " Wasuze otya nno? ",
  segments,
};

describe("a transcription through a server of the OpenAI API", () => {
  it("sends the recording as it is, named after its container, with model and language", async () => {
    backend.behave(responding(200, { text: " Wasuze otya nno?\n" }));
    expect(await transcribe()).toEqual({ text: "Wasuze otya nno?", segments: undefined });
    const [received] = backend.received;
    expect(received).toMatchObject({
      path: "/v1/audio/transcriptions",
      headers: { authorization: "Bearer the-key", "content-length": String(received?.bytes.length) },
    });
    const [form] = await receivedForms();
    const { file: sent, ...fields } = Object.fromEntries(form ?? []);
    expect(fields).toEqual({ model: "model-1", language: "lg", response_format: "json" });
    if (!(sent instanceof File)) throw new Error("No file was sent.");
    expect({ name: sent.name, type: sent.type }).toEqual({ name: "recording.wav", type: "audio/wav" });
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(file);
  });

  it("requests segments when needed, and returns them without blank ones", async () => {
    backend.behave(responding(200, verbose));
    expect(await transcribe({ withSegments: true })).toEqual({
      text: "Wasuze otya nno?",
      segments: [
        { start: 0, end: 1.5, text: "Wasuze otya" },
        { start: 2, end: 3.25, text: "nno?" },
      ],
    });
    const [form] = await receivedForms();
    expect(form?.get("response_format")).toBe("verbose_json");
    expect(form?.get("timestamp_granularities[]")).toBe("segment");
  });

  it.each<[GivenProfile, number, readonly string[]]>([
    [{}, -0.1, ["verbose_json", "verbose_json"]],
    [{}, Number.NaN, ["verbose_json", "json"]],
    [{ transcription: { log_probabilities: false } }, -0.1, ["json", "json"]],
  ])(
    "requests probabilities of a server whose profile is %j and whose text has %d: %j",
    async (profile, avg_logprob, formats) => {
      backend.behave(
        responding(200, { ...verbose, segments: segments.map((each) => ({ ...each, avg_logprob })) }),
      );
      const { transcribe: ask } = createOpenAiTranscriber([
        modelServer({ baseUrl: backend.baseUrl, profile }, "m"),
      ]);
      const signal = new AbortController().signal;
      for (const _ of formats)
        await ask({ recording, language: "lug", withSegments: false, scores: "segments" }, { signal });
      expect((await receivedForms()).map((form) => form.get("response_format"))).toEqual(formats);
    },
  );

  it.each([
    ["has no segments", { text: "Oli otya?" }],
    ["has null for them", { text: "Oli otya?", segments: null, error: null }],
    ["has segments without times", { text: "Oli otya?", segments: [{ text: "Oli otya?" }] }],
  ])("works without segments when the response %s", async (_case, response) => {
    backend.behave(responding(200, response));
    expect(await transcribe({ withSegments: true })).toEqual({ text: "Oli otya?", segments: undefined });
  });

  it("mends times that cannot be", async () => {
    const odd = [{ start: -0.2, end: -0.1, text: "Oli" }];
    backend.behave(responding(200, { text: "Oli", segments: odd }));
    expect((await transcribe({ withSegments: true })).segments).toEqual([{ start: 0, end: 0, text: "Oli" }]);
  });

  it("takes an empty text for silence", async () => {
    backend.behave(responding(200, { text: "" }));
    expect(await transcribe()).toEqual({ text: "", segments: undefined });
  });

  it("does not mistake what was said for a failure", async () => {
    backend.behave(responding(200, { text: "The model is loading, service unavailable." }));
    expect((await transcribe()).text).toContain("loading");
  });

  it.each([
    [400, { error: { message: "response_format 'verbose_json' is not compatible with model 'x'." } }],
    [400, { object: "error", message: "Currently only support response_format `text` or `json`" }],
    [422, { detail: [{ loc: ["body", "response_format"], msg: "Input should be 'json' or 'text'" }] }],
  ])("tries again without segments when the server refuses them with %i", async (status, refusal) => {
    backend.behave(responding(status, refusal), responding(200, { text: "Oli otya?" }));
    expect(await transcribe({ withSegments: true })).toEqual({ text: "Oli otya?", segments: undefined });
    const forms = await receivedForms();
    expect(forms.map((form) => form.get("response_format"))).toEqual(["verbose_json", "json"]);
    expect(forms[1]?.has("timestamp_granularities[]")).toBe(false);
  });

  it("does not send a recording again that the server refuses for another reason", async () => {
    backend.behave(responding(400, { error: { message: "Failed to decode audio" } }));
    await expect(transcribe({ withSegments: true })).rejects.toMatchObject({
      code: "unreadable_audio",
    });
    expect(backend.received).toHaveLength(1);
  });

  it.each([
    ["returns 502", responding(502, "bad gateway")],
    ["returns 503", responding(503, "busy")],
    ["breaks the connection", resetting],
  ])(
    "sends the whole recording once more when the server %s, unseen by the caller",
    async (_case, behaviour) => {
      backend.behave(behaviour, responding(200, { text: "Oli otya?" }));
      expect((await transcribe()).text).toBe("Oli otya?");
      const forms = await receivedForms();
      const sizes = forms.map((form) => {
        const sent = form.get("file");
        return sent instanceof File ? sent.size : 0;
      });
      expect(sizes).toEqual([file.length, file.length]);
    },
  );

  it.each([
    ["returns 503 again and again", responding(503, "no"), "service_unavailable"],
    ["is loading", responding(503, { error: { message: "Loading model" } }), "service_unavailable"],
    ["is starting and returns 202", responding(202, ""), "service_unavailable"],
    ["is loading, inside a 200", responding(200, { error: "Model is loading" }), "service_unavailable"],
    ["is queueing, inside a 200", responding(200, { id: "job", status: "IN_QUEUE" }), "service_unavailable"],
    ["is loading, in plain words", responding(200, "Model is still loading"), "service_unavailable"],
    ["is busy", responding(429, { error: { message: "Too many requests" } }), "service_unavailable"],
    ["breaks every connection", resetting, "service_unavailable"],
    ["says nothing", hanging, "service_unavailable"],
    ["fails", responding(500, "Internal Server Error"), "external_service_error"],
    ["refuses our key", responding(401, { error: { message: "bad key" } }), "external_service_error"],
    ["does not know the path", responding(404, { detail: "Not Found" }), "external_service_error"],
    [
      "redirects elsewhere",
      responding(303, "", { Location: "http://127.0.0.1:1/" }),
      "external_service_error",
    ],
    ["sends a page", responding(200, "<html>hello</html>"), "external_service_error"],
    ["sends JSON that is no transcription", responding(200, { hello: "world" }), "external_service_error"],
    ["sends null for the text", responding(200, { text: null }), "external_service_error"],
    [
      "reports an error together with an empty text",
      responding(200, { text: "", error: { message: "CUDA out of memory" } }),
      "external_service_error",
    ],
  ])("is an error when the server %s", async (_case, behaviour, code) => {
    backend.behave(behaviour);
    await expect(transcribe()).rejects.toMatchObject({ code });
  });

  it("says when to come back while the model is loading", async () => {
    backend.behave(responding(503, "loading model"));
    await expect(transcribe()).rejects.toMatchObject({
      message: expect.stringContaining("loading"),
      retryAfterSeconds: 30,
    });
  });

  it("says that the recording is too large for the server, though not for us", async () => {
    backend.behave(responding(413, { error: { message: "Maximum content size limit (26214400) exceeded" } }));
    await expect(transcribe()).rejects.toMatchObject({
      code: "external_service_error",
      message: expect.stringContaining("does not accept recordings of this size"),
    });
  });

  it("fails for an unreachable server", async () => {
    await expect(transcribe({ baseUrl: "http://127.0.0.1:1/v1" })).rejects.toMatchObject({
      code: "service_unavailable",
    });
  });

  it("fails for a server that drips its response", async () => {
    backend.behave((response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    });
    await expect(transcribe()).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("fails for an endless response", async () => {
    backend.behave((response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const chunk = "x".repeat(1_048_576);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) {}
      };
      response.on("drain", more);
      more();
    });
    await expect(transcribe()).rejects.toMatchObject({ code: "external_service_error" });
  });

  it("passes on why the recording cannot be read, and breaks off", async () => {
    backend.behave(responding(200, { text: "Oli otya?" }));
    const failure = new AppError("storage_unavailable");
    const source = {
      size: 5_000_000,
      read: (start: number, end: number) =>
        start === 0 ? Promise.resolve(new Uint8Array(end)) : Promise.reject(failure),
    };
    await expect(transcribe({ recording: { ...recording, source } })).rejects.toBe(failure);
    expect(backend.received).toHaveLength(0);
  });
});
