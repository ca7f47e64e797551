import { describe, expect, it, vi } from "vitest";
import { bufferSource } from "../../../shared/audio/read-audio.ts";
import type {
  Transcription,
  TranscriptionOptions,
  TranscriptionRequest,
} from "../../../shared/models/inference/transcription.ts";
import { transcribeUnnamed } from "../../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import { measureRecording } from "../../../shared/recordings/uploads/open-upload.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";
import { noise } from "../../support/wav.ts";

const sampleRate = 1_000;

/** Says the words of the requested language, in order if it is spoken; without a language, that it is `detected`. */
const setUp = async (
  seconds: number,
  { detected, middle = "lug" }: { readonly detected?: string; readonly middle?: string } = {},
) => {
  const signal = new AbortController().signal;
  const recording = await measureRecording(bufferSource(noise(seconds, sampleRate)), "file", { signal });
  const transcribe = vi.fn(
    async (
      { language = detected }: TranscriptionRequest,
      _options: TranscriptionOptions,
    ): Promise<Transcription> => {
      // The middle is tried second, in two candidates.
      const spoken = [3, 4].includes(transcribe.mock.calls.length) ? middle : "lug";
      return {
        text: `${language === spoken ? "ordered" : "mixed"} ${language}`,
        segments: undefined,
        ...(detected === undefined ? {} : { language: detected }),
      };
    },
  );
  const dependencies = {
    ...unsureJudgement,
    detectsLanguages: detected !== undefined,
    wordOrder: (text: string) => (text.includes("ordered") ? 5 : -5),
    transcriber: { transcribe },
  };
  const texts: string[] = [];
  const run = (candidates: readonly string[]) =>
    transcribeUnnamed({ recording, candidates, withSegments: true }, dependencies, {
      signal,
      onText: (text) => texts.push(text),
    });
  const calls = () =>
    transcribe.mock.calls.map(
      ([
        {
          language,
          recording: { source },
        },
      ]) => [language ?? "detect", Math.round(source.size / sampleRate / 2)],
    );
  return { run, calls, transcribe, texts };
};

describe("a recording whose language is not named", () => {
  it.each<[string, number, object, string[], [string, number][], string]>([
    [
      "of half a minute is sent once for each candidate",
      30,
      {},
      ["eng", "lug"],
      [
        ["eng", 30],
        ["lug", 30],
      ],
      "lug",
    ],
    [
      "of a minute is tried at both ends, and then sent whole",
      60,
      {},
      ["eng", "lug"],
      [
        ["eng", 30],
        ["lug", 30],
        ["eng", 30],
        ["lug", 30],
        ["lug", 60],
      ],
      "lug",
    ],
    [
      "that is longer is tried in the middle too",
      100,
      {},
      ["eng", "lug"],
      [
        ["eng", 30],
        ["lug", 30],
        ["eng", 20],
        ["lug", 20],
        ["eng", 20],
        ["lug", 20],
        ["lug", 100],
      ],
      "lug",
    ],
    [
      "that changes it in the middle and back is sent whole in both languages",
      100,
      { middle: "eng" },
      ["eng", "lug"],
      [
        ...[30, 20, 20].flatMap((length): [string, number][] => [
          ["eng", length],
          ["lug", length],
        ]),
        ["lug", 100],
        ["eng", 100],
      ],
      "lug",
    ],
    [
      "goes once to a server that detects its language",
      100,
      { detected: "lug" },
      [],
      [["detect", 100]],
      "lug",
    ],
    [
      "goes once to such a server, if that finds a candidate",
      100,
      { detected: "lug" },
      ["eng", "lug"],
      [["detect", 100]],
      "lug",
    ],
    [
      "is tried when such a server finds none of the candidates",
      20,
      { detected: "swa" },
      ["eng", "lug"],
      [
        ["detect", 20],
        ["eng", 20],
        ["lug", 20],
      ],
      "lug",
    ],
    [
      "has the language of such a server, if it has more candidates than can be tried",
      20,
      { detected: "swa" },
      ["eng", "lug", "ach", "teo"],
      [["detect", 20]],
      "swa",
    ],
  ])("%s", async (_case, seconds, options, candidates, calls, language) => {
    const { run, calls: requested, texts } = await setUp(seconds, options);
    const heard = await run(candidates);
    expect(heard.transcription.language).toBe(language);
    expect(requested()).toEqual(calls);
    expect(heard.seconds).toBeCloseTo(
      calls.reduce((sum, [, length]) => sum + length, 0),
      0,
    );
    // A client of a stream gets the text once.
    expect(texts.length).toBeLessThanOrEqual(1);
  });

  it("ends in all candidates when one of them fails", async () => {
    const { run, transcribe } = await setUp(20);
    const failure = new Error("The server is busy.");
    const aborted = Promise.withResolvers<void>();
    transcribe.mockImplementation(async ({ language }, { signal }) => {
      if (language === "eng") throw failure;
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => undefined);
    });
    await expect(run(["eng", "lug"])).rejects.toBe(failure);
    await expect(aborted.promise).resolves.toBeUndefined();
  });
});
