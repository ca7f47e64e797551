import { describe, expect, it } from "vitest";
import type { Segment, Transcription } from "../../../../shared/models/inference/transcription.ts";
import { joinHearings } from "../../../../shared/models/spoken-language/join-hearings.ts";
import { type Hearing, judgeLanguages } from "../../../../shared/models/spoken-language/judge-language.ts";
import { labelLanguages } from "../../../../shared/models/spoken-language/label-languages.ts";
import { wordOrderOnDemand } from "../../../../shared/models/spoken-language/word-order.ts";

/** Texts that begin with a code are in that language. */
const detector = {
  detect: (text: string) => {
    const [, code] = /^\[(\w+)\]/.exec(text) ?? [];
    return code === undefined ? undefined : { code, probability: 1 };
  },
};
/** Texts with `ordered` have an order. */
const wordOrder = (text: string) => (text.includes("ordered") ? 3 : -3);
const tools = { detector, wordOrder };

const segment = (text: string, start: number, averageLogProbability?: number): Segment => ({
  ...{ text, start, end: start + 10 },
  ...(averageLogProbability === undefined
    ? {}
    : {
        details: {
          ...{ averageLogProbability, seek: undefined, tokens: undefined, temperature: undefined },
          ...{ compressionRatio: undefined, noSpeechProbability: undefined },
        },
      }),
});

const hearing = (language: string, ...segments: Segment[]): Hearing => ({
  language,
  transcription: { text: segments.map(({ text }) => text).join(" "), segments },
});

const repeated = "la ".repeat(30).trim();

describe("the language of a recording", () => {
  it.each<[string, string | undefined, Hearing[]]>([
    [
      "has words in order, though the model is surer of another",
      "lug",
      [hearing("eng", segment("words", 0, -0.2)), hearing("lug", segment("ordered words", 0, -0.5))],
    ],
    [
      "is the one of which the model is surer, between equals",
      "lug",
      [hearing("eng", segment("words", 0, -0.9)), hearing("lug", segment("words", 0, -0.3))],
    ],
    [
      "is the first candidate, between equals",
      "eng",
      [hearing("eng", segment("words", 0)), hearing("lug", segment("words", 0))],
    ],
    [
      "is not one in which the model responds in another language",
      "lug",
      [hearing("eng", segment("[lug] words", 0, -0.1)), hearing("lug", segment("[lug] words", 0, -0.5))],
    ],
    [
      "is not one in which words come again and again",
      "lug",
      [hearing("eng", segment(repeated, 0, -0.1)), hearing("lug", segment("words", 0, -0.3))],
    ],
    [
      "is not one in which nothing is heard",
      "lug",
      [hearing("eng"), hearing("lug", segment("words", 0, -2))],
    ],
    [
      "needs no log probabilities",
      "lug",
      [hearing("eng", segment("words", 0)), hearing("lug", segment("ordered words", 0, -0.5))],
    ],
    ["is unknown for silence", undefined, [hearing("eng"), hearing("lug")]],
  ])("%s", (_case, language, hearings) => {
    expect(judgeLanguages(hearings, 10, tools).language).toBe(language);
  });

  it("is judged without segments", () => {
    const whole = (language: string, text: string): Hearing => ({
      language,
      transcription: { text, segments: undefined },
    });
    const judged = judgeLanguages([whole("eng", "words"), whole("lug", "ordered words")], 10, tools);
    expect(judged).toEqual({ language: "lug", spans: [{ language: "lug", start: 0, end: 10 }] });
  });

  it("changes where the words of another one are in order, and the transcription has the words of both", () => {
    const hearings = [
      hearing("eng", segment("ordered one", 0), segment("two", 10), segment("three", 20)),
      hearing("lug", segment("emu", 0), segment("ordered bbiri", 10), segment("ordered ssatu", 20)),
    ];
    const judged = judgeLanguages(hearings, 30, tools);
    expect(judged).toEqual({
      language: "lug",
      spans: [
        { language: "eng", start: 0, end: 10 },
        { language: "lug", start: 10, end: 30 },
      ],
    });
    expect(joinHearings(hearings, judged)).toEqual({
      language: "lug",
      text: "ordered one ordered bbiri ordered ssatu",
      segments: [
        { ...segment("ordered one", 0), language: "eng" },
        { ...segment("ordered bbiri", 10), language: "lug" },
        { ...segment("ordered ssatu", 20), language: "lug" },
      ],
    });
  });

  it("does not change for a word", () => {
    const hearings = [
      hearing(
        "eng",
        segment("ordered one", 0),
        { text: "two", start: 10, end: 11 },
        segment("ordered three", 11),
      ),
      hearing("lug", segment("emu", 0), { text: "ordered bbiri", start: 10, end: 11 }, segment("ssatu", 11)),
    ];
    const mild = { detector, wordOrder: (text: string) => wordOrder(text) / 2 };
    expect(judgeLanguages(hearings, 21, mild).spans).toHaveLength(1);
  });
});

describe("the segments of a transcription whose language a server has detected", () => {
  const heard = (...texts: string[]): Transcription => ({
    text: texts.join(" "),
    language: "eng",
    segments: texts.map((text, index) => segment(text, index * 10)),
  });

  it.each<[string, string[], (string | undefined)[]]>([
    ["have none where it stays", ["[eng] How are you today?", "Bulungi."], [undefined, undefined]],
    [
      "have theirs where it changes",
      ["[eng] How are you today?", "[lug] Ndi bulungi nnyo, ssebo.", "[swa] Ndiyo."],
      ["eng", "lug", "lug"],
    ],
  ])("%s", (_case, texts, languages) => {
    const { segments } = labelLanguages(heard(...texts), detector);
    expect(segments?.map(({ language }) => language)).toEqual(languages);
  });
});

describe("the order of words", () => {
  it.each([
    [
      "eng",
      "We went to the market and bought some food for the children.",
      "the for and children food to some market We the bought went",
    ],
    [
      "lug",
      "Abaana bagenda ku ssomero buli lunaku okusoma n'okuwandiika.",
      "ku okusoma bagenda lunaku n'okuwandiika buli ssomero Abaana",
    ],
    [
      "swa",
      "Watoto wanaenda shuleni kila siku kusoma na kuandika.",
      "na kila wanaenda kusoma siku kuandika Watoto shuleni",
    ],
  ])("of a sentence in %s is more probable than any other", (language, sentence, mixed) => {
    expect(wordOrderOnDemand(sentence, language)).toBeGreaterThan(wordOrderOnDemand(mixed, language) + 1);
  });

  it("is unknown in other languages", () => {
    expect(wordOrderOnDemand("Bonjour tout le monde", "fra")).toBe(0);
  });
});
