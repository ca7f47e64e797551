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

const transcriberOf = (profile: { readonly prompt?: boolean } = {}) => {
  const server = modelServer({ baseUrl: backend.baseUrl, profile: { transcription: profile } }, "model-1");
  const transcriber = createOpenAiTranscriber([server]);
  return (request: Partial<TranscriptionRequest> = {}) =>
    transcriber.transcribe(
      { recording, language: "lug", withSegments: false, prompt: "Sekitoleko", ...request },
      { signal: new AbortController().signal },
    );
};

const prompts = async () =>
  Promise.all(
    backend.received.map(async ({ bytes, headers }) =>
      (await decodeForm(bytes, headers["content-type"])).get("prompt"),
    ),
  );

const heard = responding(200, { text: "Sekitoleko azze." });

describe("the prompt of a transcription", () => {
  it("is left out for a server that refuses it, and from then on", async () => {
    const refusal = { detail: [{ loc: ["body", "prompt"], msg: "Extra inputs are not permitted" }] };
    backend.behave(responding(422, refusal), heard);
    const transcribe = transcriberOf();
    expect(await transcribe()).toMatchObject({ text: "Sekitoleko azze." });
    await transcribe();
    expect(await prompts()).toEqual(["Sekitoleko", undefined, undefined]);
  });

  it("is never sent to a server whose profile says that it takes none", async () => {
    backend.behave(heard);
    await transcriberOf({ prompt: false })();
    expect(await prompts()).toEqual([undefined]);
  });

  it("stays the caller's when it is too long, and is sent again", async () => {
    const refusal = { error: { message: "The prompt is too long.", param: "prompt" } };
    backend.behave(responding(400, refusal), heard);
    const transcribe = transcriberOf();
    await expect(transcribe()).rejects.toMatchObject({ status: 400 });
    await transcribe();
    expect(await prompts()).toEqual(["Sekitoleko", "Sekitoleko"]);
  });
});
