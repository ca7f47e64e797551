import { describe, expect, it } from "vitest";
import { transcribeOnly } from "../../../../functions/legacy/transcribe-recording.ts";
import { streamSpeech } from "../../../../functions/speech/record-speech.ts";
import { openFile } from "../../../../functions/transcription/open-recording.ts";
import { transcribe } from "../../../../functions/transcription/transcribe.ts";
import { encodeAudio } from "../../../../shared/audio/encode/encode-audio.ts";
import { inRequestScope, openRequestScope } from "../../../../shared/platform/telemetry/request-scope.ts";
import {
  countAudio,
  countCharacters,
  countTokens,
  countUse,
} from "../../../../shared/platform/telemetry/use.ts";
import type { Use } from "../../../../shared/platform/telemetry/used-units.ts";
import { speechOf } from "../../../support/fake-speech.ts";
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
