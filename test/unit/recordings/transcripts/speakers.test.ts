import { describe, expect, it } from "vitest";
import { conversationText } from "../../../../shared/recordings/transcripts/speakers.ts";
import { stitch, type TranscribedPart } from "../../../../shared/recordings/transcripts/stitch.ts";

interface Said {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker: string;
}

/** Turns of two people, from two to five seconds, each with words of its own. */
const conversation = (seconds: number, people: readonly string[] = ["Amina", "Ben"]): Said[] => {
  const turns: Said[] = [];
  for (let start = 0, index = 0; start < seconds - 5; index += 1) {
    const end = start + 2 + ((index * 7) % 4);
    const speaker = people[index % people.length] ?? "";
    turns.push({ start, end: end - 0.2, text: `${speaker} says number ${index}`, speaker });
    start = end;
  }
  return turns;
};

/** What a server returns for a piece: turns that the piece cuts are shorter, and all are a little off. */
const heardIn = (
  said: readonly Said[],
  [start, end]: readonly [number, number],
  nameOf: (speaker: string, order: number) => string,
): TranscribedPart => {
  const heard = said.filter((turn) => turn.end > start && turn.start < end);
  const order = [...new Set(heard.map(({ speaker }) => speaker))];
  const segments = heard.map((turn, index) => ({
    start: Math.max(0, turn.start - start - (index % 3) / 10),
    end: Math.min(end, turn.end) - start,
    text: turn.text,
    speaker: nameOf(turn.speaker, order.indexOf(turn.speaker)),
  }));
  return { start, end, text: segments.map(({ text }) => text).join(" "), segments };
};

const piecesOf = (seconds: number, overlap = 10): [number, number][] => {
  const pieces: [number, number][] = [];
  for (let start = 0; start < seconds - overlap; start += 570 - overlap)
    pieces.push([start, Math.min(seconds, start + 570)]);
  return pieces;
};

/** Who says the words of a segment, as the words themselves say. */
const whoSays = (text: string): string | undefined => /^(\w+) says/.exec(text)?.[1];

describe("the speakers of an hour in pieces", () => {
  const hour = 3_600;
  it.each<[string, (piece: number) => (speaker: string, order: number) => string]>([
    ["knows who speaks", () => (speaker) => `SPEAKER_${speaker}`],
    ["forgets speakers from piece to piece", () => (_, order) => `SPEAKER_0${order}`],
    ["never uses a name twice", (piece) => (_, order) => `${piece}-${(order + piece) % 2}`],
  ])("have the same letter across all joints, of a server that %s", (_title, namesOf) => {
    const said = conversation(hour);
    const parts = piecesOf(hour).map((piece, index) => heardIn(said, piece, namesOf(index)));
    const { segments = [], speakers } = stitch(parts);
    expect(parts.length).toBe(7);
    expect(speakers).toEqual([
      { label: "A", is_certain: true },
      { label: "B", is_certain: true },
    ]);
    expect(segments.length).toBeGreaterThan(said.length - 1);
    for (const { text, speaker } of segments) {
      if (whoSays(text)) expect([text, speaker]).toEqual([text, whoSays(text) === "Amina" ? "A" : "B"]);
    }
  });

  it("have a new letter, which says so, where one of them is silent in what two pieces share", () => {
    const said = [
      ...conversation(520),
      { start: 540, end: 575, text: "Amina says much", speaker: "Amina" },
      { start: 580, end: 590, text: "Ben says little", speaker: "Ben" },
    ];
    const parts = piecesOf(1_000).map((piece) => heardIn(said, piece, (speaker) => speaker));
    const { segments = [], speakers } = stitch(parts);
    expect(segments.at(-1)).toMatchObject({ text: "Ben says little", speaker: "C" });
    expect(segments.at(-2)).toMatchObject({ speaker: "A" });
    expect(speakers).toEqual([
      { label: "A", is_certain: true },
      { label: "B", is_certain: true },
      { label: "C", is_certain: false },
    ]);
  });

  it("are certainly others when all earlier ones are known again", () => {
    const said = [
      { start: 10, end: 575, text: "Amina says much", speaker: "Amina" },
      { start: 580, end: 590, text: "Ben says little", speaker: "Ben" },
    ];
    const parts = piecesOf(1_000).map((piece) => heardIn(said, piece, (_, order) => `${order}`));
    expect(stitch(parts).speakers).toEqual([
      { label: "A", is_certain: true },
      { label: "B", is_certain: true },
    ]);
  });

  it("are all uncertain after a piece that shares nothing with the one before it", () => {
    const said = conversation(1_140);
    const parts = piecesOf(1_140, 0).map((piece) => heardIn(said, piece, (speaker) => speaker));
    const { speakers } = stitch(parts);
    expect(speakers?.map(({ label, is_certain }) => `${label} ${is_certain}`)).toEqual([
      "A true",
      "B true",
      "C false",
      "D false",
    ]);
  });

  it("are not matched where both speak with both", () => {
    const both = (names: readonly [string, string]): TranscribedPart["segments"] => [
      { start: 0, end: 10, text: "one two", speaker: names[0] },
      { start: 0, end: 10, text: "three four", speaker: names[1] },
    ];
    const parts = [
      { start: 0, end: 10, text: "", segments: both(["x", "y"]) },
      { start: 0, end: 10, text: "", segments: both(["p", "q"]) },
    ];
    expect(stitch(parts).speakers?.filter(({ is_certain }) => is_certain)).toHaveLength(2);
  });

  it("stay uncertain in a piece that was joined from parts", () => {
    const segments = [
      { start: 0, end: 5, text: "one", speaker: "A" },
      { start: 5, end: 9, text: "two", speaker: "B" },
    ];
    const speakers = [
      { label: "A", is_certain: true },
      { label: "B", is_certain: false },
    ];
    expect(stitch([{ start: 0, end: 10, text: "one two", segments, speakers }]).speakers).toEqual(speakers);
  });

  it("have two letters after the twenty-sixth", () => {
    const people = Array.from({ length: 28 }, (_, index) => `Person${index}`);
    const said = conversation(200, people);
    const { speakers = [] } = stitch([heardIn(said, [0, 200], (speaker) => speaker)]);
    expect(speakers.slice(24).map(({ label }) => label)).toEqual(["Y", "Z", "AA", "AB"]);
  });

  it("are missing where a server reports none", () => {
    const transcript = stitch([
      { start: 0, end: 9, text: "one", segments: [{ start: 0, end: 1, text: "one" }] },
    ]);
    expect(transcript).not.toHaveProperty("speakers");
    expect(transcript.segments?.[0]).not.toHaveProperty("speaker");
  });
});

describe("the text of a conversation", () => {
  const segments = [
    { start: 0, end: 1, text: "Oli otya?", speaker: "S7" },
    { start: 1, end: 2, text: "Nnyabo?", speaker: "S7" },
    { start: 2, end: 3, text: "Bulungi.", speaker: "S2" },
  ];
  it("has a line for each turn", () => {
    expect(conversationText({ text: "…", segments })).toBe("A: Oli otya? Nnyabo?\nB: Bulungi.");
  });

  it("is as the model wrote it when one person speaks, or no one knows", () => {
    expect(conversationText({ text: "Oli otya? Nnyabo?", segments: segments.slice(0, 2) })).toBe(
      "Oli otya? Nnyabo?",
    );
    expect(conversationText({ text: "Oli otya?" })).toBe("Oli otya?");
  });
});
