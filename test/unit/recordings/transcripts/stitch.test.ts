import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stitch } from "../../../../shared/recordings/transcripts/stitch.ts";
import "../../../support/property-seed.ts";

interface Spoken {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Speech: words one after the other, each with a pause before it. */
const speech = (words: readonly (readonly [text: string, pause: number])[]): Spoken[] => {
  let time = 0;
  return words.map(([text, pause]) => {
    const start = time + pause;
    time = start + 0.3;
    return { start, end: time, text };
  });
};

const maxPieceLength = 60;
const overlap = 10;

/** The words that are heard in each piece, on its own clock; one that a cut goes through is half a word. */
const pieces = (words: readonly Spoken[]): { start: number; end: number; heard: Spoken[] }[] => {
  const total = (words.at(-1)?.end ?? 0) + 1;
  const result = [];
  for (let start = 0; start < total; start += maxPieceLength - overlap) {
    const end = Math.min(total, start + maxPieceLength);
    const heard = words
      .filter((word) => word.end > start && word.start < end)
      .map((word) => {
        const isWhole = word.start >= start && word.end <= end;
        const text = isWhole ? word.text : `${word.text.slice(0, 2)}-`;
        return { start: Math.max(0, word.start - start), end: Math.min(word.end, end) - start, text };
      });
    result.push({ start, end, heard });
    if (end === total) break;
  }
  return result;
};

const joined = (words: readonly { readonly text: string }[]): string =>
  words.map(({ text }) => text).join(" ");

/** Groups of words between pauses of half a second. */
const segmentsOf = (words: readonly Spoken[]): Spoken[] => {
  const groups: Spoken[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last && word.start - (last.at(-1)?.end ?? 0) < 0.5 && last.length < 12) last.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => ({
    start: group[0]?.start ?? 0,
    end: group.at(-1)?.end ?? 0,
    text: joined(group),
  }));
};

const isMonotone = (items: readonly Spoken[]): boolean =>
  items.every(({ start, end }, index) => start <= end && start >= (items[index - 1]?.start ?? 0));

const vocabulary = Array.from({ length: 400 }, (_, index) => `w${(index * 7_919) % 10_007}o`);
const aWord = fc.constantFrom(...vocabulary);
const aPause = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: 0, max: 0.3, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0.5, max: 3, noNaN: true }) },
);
const aSpeech = fc.array(fc.tuple(aWord, aPause), { minLength: 1, maxLength: 900, size: "max" }).map(speech);
const jitters = fc.infiniteStream(fc.double({ min: -0.3, max: 0.3, noNaN: true }));

describe("what was said in a recording", () => {
  it("comes back whole from words with times that are a little wrong", () => {
    fc.assert(
      fc.property(aSpeech, jitters, (words, jitter) => {
        const moved = (time: number): number => Math.max(0, time + Number(jitter.next().value));
        const parts = pieces(words).map(({ start, end, heard }) => {
          const times = heard.map((word) => ({ ...word, start: moved(word.start) }));
          const reported = times.map((word) => ({ ...word, end: Math.max(word.start, moved(word.end)) }));
          return { start, end, text: joined(heard), segments: segmentsOf(reported), words: reported };
        });
        const result = stitch(parts);
        expect(result.text).toBe(joined(words));
        expect(joined(result.words ?? [])).toBe(joined(words));
        expect(joined(result.segments ?? [])).toBe(joined(words));
        expect(isMonotone(result.words ?? [])).toBe(true);
        expect(isMonotone(result.segments ?? [])).toBe(true);
        for (const [index, word] of (result.words ?? []).entries()) {
          expect(Math.abs(word.start - (words[index]?.start ?? 0))).toBeLessThan(1);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("comes back whole from segments, of which only the whole has times", () => {
    fc.assert(
      fc.property(aSpeech, (words) => {
        const parts = pieces(words).map(({ start, end, heard }) => ({
          start,
          end,
          text: joined(heard),
          segments: segmentsOf(heard),
        }));
        const { text, segments = [] } = stitch(parts);
        expect(text).toBe(joined(words));
        expect(joined(segments)).toBe(joined(words));
        expect(isMonotone(segments)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it("comes back whole without any times", () => {
    const evenly = fc
      .array(aWord, { minLength: 1, maxLength: 900, size: "max" })
      .map((texts) => speech(texts.map((text) => [text, 0.1])));
    fc.assert(
      fc.property(evenly, (words) => {
        const parts = pieces(words).map(({ start, end, heard }) => ({ start, end, text: joined(heard) }));
        expect(stitch(parts)).toEqual({ text: joined(words) });
      }),
      { numRuns: 25 },
    );
  });
});

describe("what was misunderstood here and there", () => {
  const mistakes = fc.infiniteStream(fc.integer({ min: 0, max: 9 }));

  it.each([true, false])("is neither lost nor doubled (with times: %s)", (isTimed) => {
    fc.assert(
      fc.property(aSpeech, mistakes, (words, mistake) => {
        const parts = pieces(words).map(({ start, end, heard }, index) => {
          // One word in ten, another one in each piece.
          const reported = heard.map((word) =>
            mistake.next().value === 0 ? { ...word, text: `x${index}${word.text}` } : word,
          );
          return {
            start,
            end,
            text: joined(reported),
            ...(isTimed && { segments: segmentsOf(reported), words: reported }),
          };
        });
        const said = stitch(parts)
          .text.split(" ")
          .filter((word) => word !== "");
        const plain = said.map((word) => word.replace(/^x\d+/, ""));
        expect(plain.join(" ")).toBe(joined(words));
      }),
      { numRuns: 25 },
    );
  });
});

describe("what two pieces share", () => {
  const part = (start: number, end: number, text: string, segments?: Spoken[]) => ({
    start,
    end,
    text,
    segments,
  });
  const segment = (start: number, end: number, text: string): Spoken => ({ start, end, text });

  it("is cut at its widest pause", () => {
    const result = stitch([
      part(0, 60, "", [
        segment(40, 51, "alpha beta"),
        segment(51.2, 54, "gamma delta"),
        segment(57, 59, "epsilon"),
      ]),
      part(50, 110, "", [
        segment(1.1, 4, "Gamma, delta."),
        segment(7.1, 9, "epsilon"),
        segment(12, 20, "zeta"),
      ]),
    ]);
    expect(result.text).toBe("alpha beta gamma delta epsilon zeta");
    // The pause from 54 to 57: what is before it comes from the first piece, what follows from the second.
    expect(result.segments?.map(({ start, text }) => [start, text])).toEqual([
      [40, "alpha beta"],
      [51.2, "gamma delta"],
      [57.1, "epsilon"],
      [62, "zeta"],
    ]);
  });

  it("is not lost when it was understood in two ways", () => {
    const heard = "a b c d e f one two three four five six seven eight";
    const again = "wun two three for five six seven eight g h i j k l";
    expect(stitch([part(0, 60, heard), part(50, 110, again)]).text).toBe(
      "a b c d e f one two three four five six seven eight g h i j k l",
    );
  });

  it("is cut at its widest pause when it was understood in two ways with times", () => {
    const result = stitch([
      part(0, 60, "", [
        segment(40, 51, "one two"),
        segment(51.5, 52, "three"),
        segment(57, 59.5, "four five"),
      ]),
      part(50, 110, "", [
        segment(0.5, 2, "uno dos tres"),
        segment(7, 9.5, "cuatro cinco"),
        segment(12, 20, "seis"),
      ]),
    ]);
    expect(result.segments?.map(({ start, end, text }) => [start, end, text])).toEqual([
      [40, 51, "one two"],
      [51.5, 52, "three"],
      [57, 59.5, "cuatro cinco"],
      [62, 70, "seis"],
    ]);
  });

  it("is less sure where both understood it differently, and says why", () => {
    const segments = (words: string, from: number) =>
      words
        .split(" ")
        .map((text, index) => ({ start: from + index, end: from + index + 1, text, confidence: 0.9 }));
    const before = {
      start: 0,
      end: 20,
      text: "",
      segments: segments("a b c d e f g h i j k l m n o p q r s t", 0),
    };
    const same = { start: 10, end: 24, text: "", segments: segments("k l m n o p q r s t u v w x", 0) };
    const other = {
      ...same,
      segments: segments("one two three four five six seven eight nine ten u v w x", 0),
    };
    expect(stitch([before, same])).toMatchObject({ confidence: 0.9, reasons: [] });
    const found = stitch([before, other]);
    expect(found.reasons).toEqual(["pieces_differ"]);
    expect(found.confidence).toBeLessThan(0.6);
    expect(found.segments?.map(({ confidence }) => confidence)).toEqual([
      ...Array.from({ length: 10 }, () => 0.9),
      ...Array.from({ length: 10 }, () => 0),
      ...Array.from({ length: 4 }, () => 0.9),
    ]);
    const partly = { ...same, segments: segments("k l three four five six seven eight nine ten u v w x", 0) };
    const unsure = stitch([before, partly]).segments?.map(({ confidence }) => confidence);
    expect(unsure?.slice(10, 20)).toEqual(Array.from({ length: 10 }, () => 0.36));
  });

  it("is cut at its widest pause, not at its first", () => {
    const result = stitch([
      part(0, 60, "", [segment(40, 51, "one two"), segment(52, 53, "three"), segment(57, 59.5, "four five")]),
      part(50, 110, "", [segment(2, 3, "tres"), segment(7, 9.5, "cuatro cinco"), segment(12, 20, "seis")]),
    ]);
    expect(result.text).toBe("one two three cuatro cinco seis");
  });

  it("is cut within a segment where its words have times", () => {
    const result = stitch([
      {
        ...part(0, 60, "", [segment(50.5, 56.5, "one two")]),
        words: [segment(50.5, 51, "one"), segment(56, 56.5, "two")],
      },
      {
        ...part(50, 110, "", [segment(0.5, 6.5, "uno dos"), segment(12, 20, "seis")]),
        words: [segment(0.5, 1, "uno"), segment(6, 6.5, "dos"), segment(12, 20, "seis")],
      },
    ]);
    expect(result.text).toBe("one dos seis");
  });

  it("ends with a word where its segment ends", () => {
    const result = stitch([
      part(0, 60, "", [segment(51, 55, "one"), segment(56, 57, "two"), segment(58.5, 60, "three")]),
      part(50, 110, "", [segment(1, 5, "one"), segment(6.1, 7, "two"), segment(8.6, 10, "three")]),
    ]);
    expect(result.segments?.map(({ start, text }) => [start, text])).toEqual([
      [51, "one"],
      [56, "two"],
      [58.6, "three"],
    ]);
  });

  it("needs more than one short word without times", () => {
    expect(stitch([part(0, 60, "then we go to"), part(50, 110, "to be or not")]).text).toBe(
      "then we go to to be or not",
    );
    expect(stitch([part(0, 60, "then we meet"), part(50, 110, "meet the others")]).text).toBe(
      "then we meet the others",
    );
  });

  it("has each word once where a model counts words otherwise than its text", () => {
    const heard = (time: number) => [
      segment(time, time + 1, "al"),
      segment(time + 1, time + 3, "pha"),
      segment(time + 3, time + 6, "beta"),
      segment(time + 6, time + 9, "gamma"),
    ];
    const { words } = stitch([
      { ...part(0, 60, "", [segment(51, 60, "alpha beta gamma")]), words: heard(51) },
      {
        ...part(50, 110, "", [segment(1, 10, "alpha beta gamma"), segment(12, 14, "delta")]),
        words: [...heard(1), segment(12, 14, "delta")],
      },
    ]);
    expect(words?.map(({ start, text }) => [start, text])).toEqual([
      [51, "al"],
      [52, "pha"],
      [54, "beta"],
      [57, "gamma"],
      [62, "delta"],
    ]);
  });

  it("is cut at its end when the pause there is the widest", () => {
    const result = stitch([
      part(0, 60, "", [segment(40, 51, "one two"), segment(51.5, 54, "three")]),
      part(50, 110, "", [segment(0.5, 1.5, "uno"), segment(2, 4, "dos"), segment(11, 20, "seis")]),
    ]);
    expect(result.text).toBe("one two three seis");
  });

  it("is empty for silence", () => {
    expect(stitch([part(0, 60, "the end of it"), part(50, 110, "a new story")]).text).toBe(
      "the end of it a new story",
    );
    expect(stitch([part(0, 60, ""), part(50, 110, ""), part(100, 160, "Bulungi.")])).toEqual({
      text: "Bulungi.",
    });
    expect(stitch([])).toEqual({ text: "" });
  });

  it("may last as long as the piece, for a model that returns one segment", () => {
    const result = stitch([
      part(0, 60, "", [segment(0, 60, "a b c d e f g h one two three")]),
      part(50, 110, "", [segment(0, 60, "one two three i j k l m n o p")]),
    ]);
    expect(result.segments?.map(({ text }) => text).join(" ")).toBe(
      "a b c d e f g h one two three i j k l m n o p",
    );
    expect(result.segments?.[0]?.start).toBe(0);
    expect(result.segments?.at(-1)?.end).toBe(110);
  });

  it("is found in scripts without spaces too", () => {
    const all = "นี่คือการทดสอบการถอดความยาวที่ไม่มีช่องว่างระหว่างคำในประโยคเดียวกันทั้งหมดของเรา";
    const result = stitch([part(0, 60, all.slice(0, 60)), part(50, 110, all.slice(45))]);
    expect(result.text).toBe(all);
  });

  it("leaves a gap where a piece is missing", () => {
    const result = stitch([
      part(0, 60, "", [segment(1, 5, "before")]),
      part(100, 160, "", [segment(2, 6, "after")]),
    ]);
    expect(result).toEqual({
      text: "before after",
      segments: [segment(1, 5, "before"), segment(102, 106, "after")],
    });
  });

  it("has times within the recording and in order, for any output of a model", () => {
    const { segments = [] } = stitch([
      part(0, 60, "", [segment(-3, 5, "one"), segment(40, 900, "two")]),
      part(60, 110, "", [segment(-9, -5, "three"), segment(7, 3, "four")]),
    ]);
    expect(isMonotone(segments)).toBe(true);
    expect(segments.map(({ text }) => text)).toEqual(["one", "two", "three", "four"]);
    for (const { start, end } of segments) expect(start >= 0 && end <= 110).toBe(true);
  });

  it("includes the text of a piece without times", () => {
    const words = [{ start: 1, end: 2, text: "one" }];
    const result = stitch([
      { ...part(0, 60, "one", [segment(1, 2, "one")]), words },
      part(50, 110, "two three four"),
    ]);
    expect(result.text).toBe("one two three four");
    expect(result.segments?.map(({ text }) => text)).toEqual(["one", "two three four"]);
    // Subtitles would consist of words alone, and lack the rest.
    expect(result.words).toBeUndefined();
  });
});
