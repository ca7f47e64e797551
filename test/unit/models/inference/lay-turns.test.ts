import { describe, expect, it } from "vitest";
import { layTurns } from "../../../../shared/models/inference/lay-turns.ts";
import type { Transcription } from "../../../../shared/models/inference/transcription.ts";

const turns = [
  { start: 0, end: 2, speaker: "A" },
  { start: 2, end: 4, speaker: "B" },
  { start: 6, end: 8, speaker: "A" },
];

const words = (...times: readonly (readonly [text: string, start: number, end: number])[]) =>
  times.map(([text, start, end]) => ({ text, start, end }));

const said = (transcription: Transcription) =>
  layTurns(transcription, turns).segments?.map(({ speaker, text, start, end }) => [
    speaker,
    text,
    start,
    end,
  ]);

describe("the turns of one server over the words of another", () => {
  it.each<[string, Transcription, (readonly (string | number | undefined)[])[]]>([
    [
      "cut a segment between the words of two people, at their times",
      {
        text: "Oli otya? Bulungi nnyo.",
        segments: [{ start: 0.2, end: 3.9, text: "Oli otya? Bulungi nnyo." }],
        words: words(["Oli", 0.2, 0.6], ["otya", 0.7, 1.9], ["Bulungi", 2.1, 3], ["nnyo", 3.1, 3.9]),
      },
      [
        ["A", "Oli otya?", 0.2, 1.9],
        ["B", "Bulungi nnyo.", 2.1, 3.9],
      ],
    ],
    [
      "leave a segment of one person as it is",
      { text: "Oli otya?", segments: [{ start: 0.2, end: 1.8, text: "Oli otya?" }], words: [] },
      [["A", "Oli otya?", 0.2, 1.8]],
    ],
    [
      "are laid over estimated times where the model reports none of words",
      { text: "aaaa bbbb", segments: [{ start: 0, end: 4, text: "aaaa bbbb" }] },
      [
        ["A", "aaaa", 0, 2],
        ["B", "bbbb", 2, 4],
      ],
    ],
    [
      "give a word between two turns to the nearer one",
      {
        text: "mmm hmm",
        segments: [{ start: 4.1, end: 5.9, text: "mmm hmm" }],
        words: words(["mmm", 4.1, 4.4], ["hmm", 5.6, 5.9]),
      },
      [
        ["B", "mmm", 4.1, 4.4],
        ["A", "hmm", 5.6, 5.9],
      ],
    ],
    [
      "are laid over a text without any times",
      { text: "aa bb cc dd", segments: undefined },
      [
        ["A", "aa", 0, 2],
        ["B", "bb", 2, 4],
        ["A", "cc dd", 4, 8],
      ],
    ],
    ["have no segments in silence", { text: "", segments: [] }, []],
  ])("%s", (_title, transcription, expected) => {
    expect(said(transcription)).toEqual(expected);
  });

  it("leave the language of a segment, and how sure it is, in all its parts", () => {
    const known = { language: "lug", confidence: 0.9 };
    const segments = [{ start: 0, end: 4, text: "aaaa bbbb", ...known }];
    expect(layTurns({ text: "aaaa bbbb", segments }, turns).segments).toMatchObject([known, known]);
  });

  it("leave speakers out when no one was distinguished", () => {
    const segments = [{ start: 0, end: 1, text: "Oli" }];
    expect(layTurns({ text: "Oli", segments }, []).segments).toEqual(segments);
  });
});
