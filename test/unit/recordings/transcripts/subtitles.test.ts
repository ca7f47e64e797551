import { describe, expect, it } from "vitest";
import { toSubRip, toWebVtt } from "../../../../shared/recordings/transcripts/subtitles.ts";

const segment = (start: number, end: number, text: string) => ({ start, end, text });

/** The cues of a file as a player would read them: lines of text by their times. */
const cuesOf = (file: string): { times: string; lines: string[] }[] =>
  file
    .split("\n\n")
    .map((block) => block.trim().split("\n"))
    .filter((lines) => lines.some((line) => line.includes("-->")))
    .map((lines) => {
      const at = lines.findIndex((line) => line.includes("-->"));
      return { times: lines[at] ?? "", lines: lines.slice(at + 1) };
    });

describe("subtitles", () => {
  const segments = [segment(0.48, 2.16, "Wasuze otya nno?"), segment(3_661.5, 3_662, "Bulungi.")];

  it("are numbered and have commas in SubRip", () => {
    expect(toSubRip({ segments })).toBe(
      "1\n00:00:00,480 --> 00:00:02,160\nWasuze otya nno?\n\n2\n01:01:01,500 --> 01:01:02,000\nBulungi.\n",
    );
  });

  it("begin with their name and have points in WebVTT", () => {
    expect(toWebVtt({ segments })).toBe(
      "WEBVTT\n\n00:00:00.480 --> 00:00:02.160\nWasuze otya nno?\n\n01:01:01.500 --> 01:01:02.000\nBulungi.\n",
    );
  });

  it("cannot be broken by what was said", () => {
    const hostile = [segment(0, 1, "a --> b\n\n3\n<b>&")];
    expect(toWebVtt({ segments: hostile })).toContain("\na --&gt; b 3 &lt;b&gt;&amp;\n");
    expect(cuesOf(toSubRip({ segments: hostile }))).toHaveLength(1);
  });

  it("have at most two lines of 42 characters, seven seconds, and follow each other in time", () => {
    const text = Array.from({ length: 200 }, (_word, index) => "a".repeat(1 + (index % 13))).join(" ");
    const cues = cuesOf(toWebVtt({ segments: [segment(0, 120, text), segment(119, 125, "b".repeat(100))] }));
    expect(cues.flatMap(({ lines }) => lines).join(" ")).toBe(
      `${text} ${"b".repeat(42)} ${"b".repeat(42)} ${"b".repeat(16)}`,
    );
    for (const { lines } of cues) {
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
    }
    const seconds = cues.flatMap(({ times }) =>
      times.split(" --> ").map((time) => Number(time.slice(3, 5)) * 60 + Number(time.slice(6))),
    );
    expect(seconds).toEqual(seconds.toSorted((one, other) => one - other));
    const lengths = cues.map((_cue, index) => (seconds[2 * index + 1] ?? 0) - (seconds[2 * index] ?? 0));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(7.001);
  });

  it("use the times of words where there are any, and start again after a pause", () => {
    const words = [segment(0, 0.4, "Oli"), segment(0.5, 0.9, "otya?"), segment(2.5, 3, "Bulungi.")];
    expect(cuesOf(toSubRip({ segments: [segment(0, 10, "Oli otya? Bulungi.")], words }))).toEqual([
      { times: "00:00:00,000 --> 00:00:00,900", lines: ["Oli otya?"] },
      { times: "00:00:02,500 --> 00:00:03,000", lines: ["Bulungi."] },
    ]);
  });

  it("are empty for silence", () => {
    expect(toSubRip({ segments: [] })).toBe("");
    expect(toWebVtt({ segments: [], words: [] })).toBe("WEBVTT\n");
  });
});

describe("translated subtitles", () => {
  const timesOf = (file: string): string[] => cuesOf(file).map(({ times }) => times);

  it("have the times of the transcript, and each word about when it was said", () => {
    const segments = [
      segment(0.48, 2.16, "Wasuze otya nno?"),
      segment(3, 15, "Ndi bulungi, era ".repeat(12).trim()),
    ];
    const translated = ["How was your night?", "I am well, and ".repeat(14).trim()];
    const file = toSubRip({ segments }, translated);
    expect(timesOf(file)).toEqual(timesOf(toSubRip({ segments })));
    expect(timesOf(file).length).toBeGreaterThan(2);
    const [first, ...others] = cuesOf(file);
    expect(first?.lines).toEqual(["How was your night?"]);
    expect(others.flatMap(({ lines }) => lines).join(" ")).toBe(translated[1]);
    for (const { lines } of others) {
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
    }
  });

  it("follow the times of words, whose cues may hold several segments", () => {
    const words = ["Oli", "otya,", "ssebo?", "Bulungi."].map((text, index) =>
      segment(index, index + 0.6, text),
    );
    const file = toWebVtt({ segments: words, words }, ["How", "are", "you, sir?", "Fine."]);
    expect(timesOf(file)).toEqual(timesOf(toWebVtt({ segments: words, words })));
    expect(
      cuesOf(file)
        .flatMap(({ lines }) => lines)
        .join(" "),
    ).toBe("How are you, sir? Fine.");
  });

  it("break long lines, and never change times for them", () => {
    const segments = [segment(0, 2, "Webale.")];
    const long =
      "Thank you very much for all that you have done for us in these hard and long years of drought.";
    const file = toSubRip({ segments }, [long]);
    expect(timesOf(file)).toEqual(["00:00:00,000 --> 00:00:02,000"]);
    const [cue] = cuesOf(file);
    expect(cue?.lines.join(" ")).toBe(long);
    for (const line of cue?.lines ?? []) expect(line.length).toBeLessThanOrEqual(42);
  });

  it("stay on the screen when they are short", () => {
    const segments = [segment(0, 20, "a b c d e f g h i j k l m n o p q r s t")];
    const file = toSubRip({ segments }, ["Yes."]);
    expect(timesOf(file)).toEqual(timesOf(toSubRip({ segments })));
    expect(new Set(cuesOf(file).map(({ lines }) => lines.join()))).toEqual(new Set(["Yes."]));
    expect(toSubRip({ segments }, [""])).toBe("");
  });
});

describe("subtitles of a conversation", () => {
  const segments = [
    { start: 0, end: 1, text: "Oli otya?", speaker: "A" },
    { start: 1, end: 2, text: "Nnyabo?", speaker: "A" },
    { start: 2, end: 3, text: "Bulungi.", speaker: "B" },
    { start: 3, end: 4, text: "Weebale.", speaker: "A" },
  ];
  const words = segments.map(({ speaker: _, ...word }) => word);
  const linesOf = (subtitles: string) => subtitles.split("\n").filter((line) => /\p{L}/u.test(line));

  it.each([
    ["segments", { segments }, ["A: Oli otya?", "Nnyabo?", "B: Bulungi.", "A: Weebale."]],
    ["words", { segments, words }, ["A: Oli otya? Nnyabo?", "B: Bulungi.", "A: Weebale."]],
    [
      "names",
      { segments, speakerNames: { A: "Amina" } },
      ["Amina: Oli otya?", "Nnyabo?", "B: Bulungi.", "Amina: Weebale."],
    ],
  ])("begin a cue with the speaker where it changes: %s", (_title, transcript, expected) => {
    expect(linesOf(toSubRip(transcript))).toEqual(expected);
    expect(linesOf(toWebVtt(transcript)).slice(1)).toEqual(expected);
  });

  it("name the speakers of a translation", () => {
    const english = ["How are you?", "Madam?", "Fine.", "Thank you."];
    expect(linesOf(toSubRip({ segments, speakerNames: { B: "Ben" } }, english))).toEqual([
      "A: How are you?",
      "Madam?",
      "Ben: Fine.",
      "A: Thank you.",
    ]);
  });
});
