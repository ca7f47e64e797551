import { describe, expect, it } from "vitest";
import { readSrt, readVtt } from "../../../shared/documents/formats/subtitles.ts";
import { passagesOf, translateDocument } from "../../../shared/documents/segments/translate-segments.ts";

const upperCase = async (text: string): Promise<string> => text.toUpperCase();
const passages = (source: string, read = readSrt): string[] =>
  passagesOf(read(source)).map(({ text }) => text);

const timed = (text: string): string => `1\n00:00:01,000 --> 00:00:03,000\n${text}\n`;

describe("A SubRip file", () => {
  it("has a passage for each subtitle, whose lines belong together", () => {
    expect(passages(timed("Good morning\nto all of you"))).toEqual(["Good morning to all of you"]);
  });

  it("has a passage for each line when two people speak", () => {
    expect(passages(timed("- Who is there?\n- It is me."))).toEqual(["- Who is there?", "- It is me."]);
  });

  it("keeps its tags around their words, and positions", async () => {
    const source = timed("{\\an8}<i>Good</i> morning");
    expect(passages(source)).toEqual(["<1>Good</1> morning"]);
    expect((await translateDocument(readSrt(source), upperCase)).text).toBe(
      timed("{\\an8}<i>GOOD</i> MORNING"),
    );
  });

  it("keeps times that overlap or go back", async () => {
    const source = [
      "2\n00:00:05,000 --> 00:00:09,000\nsecond",
      "1\n00:00:01,000 --> 00:00:06,000\nfirst",
      "3\n00:00:08,000 --> 00:00:07,000\nthird\n",
    ].join("\n\n");
    const { text, untranslated } = await translateDocument(readSrt(source), upperCase);
    expect(untranslated).toEqual([]);
    expect(text).toBe(source.replace("second", "SECOND").replace("first", "FIRST").replace("third", "THIRD"));
  });

  it("breaks a long translation into lines of at most 42 characters, and changes no time", async () => {
    const long = "this translation has far more words than the line that it was made from had before";
    const { text } = await translateDocument(readSrt(timed("Short")), async () => long);
    const [number, times, ...lines] = text.trimEnd().split("\n");
    expect([number, times]).toEqual(["1", "00:00:01,000 --> 00:00:03,000"]);
    expect(lines.join(" ")).toBe(long);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
  });

  it("never contains an arrow that the model has written", async () => {
    const { text, untranslated } = await translateDocument(readSrt(timed("Short")), async () => "a --> b");
    expect(text).toBe(timed("Short"));
    expect(untranslated).toEqual([{ index: 0, reason: "structure_changed" }]);
  });

  it("may have CRLF, a byte order mark, and no end of its last line", async () => {
    const source =
      "\uFEFF1\r\n00:00:01,000 --> 00:00:02,000\r\nfirst\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nsecond";
    const { text } = await translateDocument(readSrt(source), upperCase);
    expect(text).toBe(source.replace("first", "FIRST").replace("second", "SECOND"));
  });

  it("has all of a cue translated that players show: after an empty line, and with times as programs write them", async () => {
    const source = [
      "1\n00:00:01,000 --> 00:00:02,000\nfirst\n\nmore of it\n\n42",
      "2\n00:00:03,000-->00:00:04,000\nsecond",
      " 00:00:05 --> 00:00:06\nthird",
      "4\n0:00:07.5 --> 0:00:08.5\nfourth",
      "5\n0:1:2,5 --> 0:1:3,75\nfifth",
      "6\n1:4 --> 1:5\nsixth\n",
    ].join("\n\n");
    const { text } = await translateDocument(readSrt(source), upperCase);
    expect(text).toBe(source.toUpperCase());
  });

  it.each(["\r", "\r\n", "\r\r\n", "\n"])("may have lines that end with %j", async (lineEnd) => {
    const source =
      "1\n00:00:01,000 --> 00:00:02,000\nfirst line\nand second\n\n2\n00:00:03,000 --> 00:00:04,000\nthird\n";
    const written = source.replaceAll("\n", lineEnd);
    expect(passages(written)).toEqual(["first line and second", "third"]);
    const { text } = await translateDocument(readSrt(written), upperCase);
    expect(text).toBe(written.toUpperCase());
  });

  it("is refused with the line of times that no player reads", () => {
    expect(() => readSrt(`${timed("words")}\n2\n00;00;05,000 --> 00;00;06,000\nmore\n`)).toThrow(
      "The subtitles are invalid: line 6: its times cannot be read.",
    );
  });

  it("is refused without subtitles", () => {
    expect(() => readSrt("words")).toThrow("The document has no subtitles of SubRip.");
  });
});

describe("A WebVTT file", () => {
  it("keeps notes, styles, names, settings and escapes", async () => {
    const source = [
      "WEBVTT - a title",
      "NOTE not this",
      "STYLE\n::cue { color: red }",
      "intro\n00:01.000 --> 00:02.000 align:left\n<v Ann>Salt &amp; pepper</v>\n",
    ].join("\n\n");
    expect(passages(source, readVtt)).toEqual(["Salt & pepper"]);
    const { text } = await translateDocument(readVtt(source), upperCase);
    expect(text).toBe(source.replace("Salt &amp; pepper", "SALT &amp; PEPPER"));
  });

  it("is refused without its first line", () => {
    expect(() => readVtt("00:01.000 --> 00:02.000\nwords")).toThrow("does not begin with WEBVTT");
  });
});
