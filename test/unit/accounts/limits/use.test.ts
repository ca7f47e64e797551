import { describe, expect, it } from "vitest";
import { createChatCompletion } from "../../../../functions/chat/create-chat-completion.ts";
import { chunkWriter, writeFrames } from "../../../../functions/chat/write-frames.ts";
import { transcribeOnly } from "../../../../functions/legacy/transcribe-recording.ts";
import { streamSpeech } from "../../../../functions/speech/record-speech.ts";
import { openFile } from "../../../../functions/transcription/open-recording.ts";
import { transcribe } from "../../../../functions/transcription/transcribe.ts";
import { translate } from "../../../../functions/translate/translate.ts";
import { callerWith } from "../../../../shared/accounts/access/caller.ts";
import { encodeAudio } from "../../../../shared/audio/encode/encode-audio.ts";
import type { ChatModels } from "../../../../shared/models/inference/chat.ts";
import { inRequestScope, openRequestScope } from "../../../../shared/platform/telemetry/request-scope.ts";
import {
  countAudio,
  countCharacters,
  countTokens,
  countUse,
  type Use,
} from "../../../../shared/platform/telemetry/use.ts";
import { speechInMemory, speechOf } from "../../../support/fake-speech.ts";
import { iterate, sourceOf } from "../../../support/sources.ts";
import { unsureDetector } from "../../../support/unsure-detector.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

/** What some work has used, also when it failed. */
const useOf = async (work: () => unknown): Promise<Use> => {
  const scope = openRequestScope(60_000);
  try {
    await inRequestScope(scope, async () => work());
  } catch {
    // What was used until then has been used.
  } finally {
    scope.close();
  }
  return scope.use;
};
const signal = new AbortController().signal;
const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const chatRequest = {
  model: "lang-9b",
  messages: [],
  temperature: 0,
  topP: undefined,
  maxTokens: undefined,
  stop: undefined,
} as const;

describe("what a request has used", () => {
  it("is summed up, in code points, tokens and milliseconds", async () => {
    const use = await useOf(() => {
      countCharacters("Wasuze otya 👋");
      countCharacters("é");
      countTokens(usage);
      countTokens({ prompt_tokens: 1, completion_tokens: null });
      countTokens(null);
      countTokens(undefined);
      countAudio(1.2344);
      countAudio(0.1);
      countUse("errors", 2);
    });
    expect(use).toEqual({
      characters: 14,
      promptTokens: 12,
      completionTokens: 3,
      audioMilliseconds: 1_334,
      errors: 2,
    });
  });

  it("is ignored outside of a request", () => {
    expect(() => countCharacters("Hello")).not.toThrow();
  });
});

describe("a use case", () => {
  it("of translation has used the characters of the text once it is translated, and none when it is not", async () => {
    const request = {
      source_language: "eng",
      target_language: "lug",
      text: "Hello 👋",
      format: "text",
    } as const;
    const translated = { text: "Gyebale", usage };
    expect(
      await useOf(() =>
        translate(request, signal, {
          translator: { translate: async () => translated },
          sourceDetector: unsureDetector,
        }),
      ),
    ).toEqual({ characters: 7 });
    const failing = { translate: () => Promise.reject(new Error("No model.")) };
    expect(
      await useOf(() => translate(request, signal, { translator: failing, sourceDetector: unsureDetector })),
    ).toEqual({});
  });

  it("of chat has used the tokens that the model's server reports, streamed or not", async () => {
    const tokens = { promptTokens: 11, completionTokens: 3 };
    const reply: ChatModels["reply"] = async () => ({ text: "Bulungi.", finishReason: "stop", usage });
    const streamReply = () => Promise.reject(new Error("The test requests no stream."));
    const models = { reply, streamReply };
    expect(await useOf(() => createChatCompletion(chatRequest, { models, signal }))).toEqual(tokens);

    const streamed = async () => {
      const events = (async function* () {
        yield [{ type: "text-delta", text: "Bulungi." } as const];
        yield [{ type: "finish", finishReason: "stop" } as const, { type: "usage", usage } as const];
      })();
      const head = { id: "a", created: 1, model: "lang-9b" } as const;
      const writer = chunkWriter(head, () => undefined);
      const frames = iterate(writeFrames(writer, sourceOf(events), () => undefined));
      for (let next = await frames.next(); !next.done; next = await frames.next());
    };
    expect(await useOf(streamed)).toEqual(tokens);
  });

  it.each([
    ["whole", Number.POSITIVE_INFINITY, 1_200],
    ["left by its reader", 2, 21],
  ])("of speech counts the audio that was produced: %s", async (_case, pieces, milliseconds) => {
    const speech = await encodeAudio(
      "wav",
      speechOf({ text: "Webale nnyo!", voice: "a", language: undefined, sampling: {} }),
    );
    const read = async () => {
      let left = pieces;
      for await (const _ of streamSpeech(speech)) if (--left === 0) break;
    };
    expect(await useOf(read)).toEqual({ audioMilliseconds: milliseconds });
  });

  it("of stored speech has also used its characters; of a batch, an item that failed is an error", async () => {
    const { endpoints, synthesize } = speechInMemory();
    const execute = (id: string, body: unknown) =>
      endpoints
        .find(({ operation }) => operation.id === id)
        ?.prepare({
          id: "1",
          headers: {},
          sourceAddress: "203.0.113.7",
          basePath: "",
          body,
          query: {},
          path: {},
          caller: callerWith({ userId: 7, tokenId: "a", tokenEpoch: 0 }, { account_type: "Free" }),
        })
        .execute(signal);
    const [stored = "", batch = ""] = endpoints.map(({ operation }) => operation.id);
    expect(await useOf(() => execute(stored, { text: "Webale 👋" }))).toEqual({
      characters: 8,
      audioMilliseconds: 800,
    });
    synthesize.mockImplementationOnce(() => Promise.reject(new Error("No voice.")));
    const two = { items: [{ text: "Webale" }, { text: "Asante" }] };
    expect(await useOf(() => execute(batch, two))).toEqual({
      characters: 6,
      audioMilliseconds: 600,
      errors: 1,
    });
  });

  it("of transcription has used the recording's length, also on the deprecated routes", async () => {
    const content = wavFile(audioBytes(96_000), { stated: true });
    const transcriber = { transcribe: async () => ({ text: "Wasuze otya?", segments: undefined }) };
    const stores = {
      uploads: { find: async () => undefined },
      store: { delete: async () => undefined, open: async () => undefined },
    };
    const form = {
      audio: { filename: "a.wav", contentType: "audio/wav", content },
      language: "lug",
      timestamps: false,
    } as const;
    const context = { userId: 7, signal };
    expect(await useOf(() => transcribe(form, context, { transcriber, ...stores }))).toEqual({
      audioMilliseconds: 2_000,
    });
    const recording = await openFile(form.audio, signal);
    const choices = { language: undefined, withSpeakers: false };
    expect(await useOf(() => transcribeOnly(recording, choices, { transcriber, signal }))).toEqual({
      audioMilliseconds: 2_000,
    });
  });
});
