import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownSentencesFolder, readData } from "../../../infra/evaluation/data/read-data.ts";

describe("A folder of data", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "evaluation-data-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content);

  it("has items of every task in TSV and in JSON lines", async () => {
    await write(
      "pairs.tsv",
      '\ufefftarget\tsource\tsource_language\ttarget_language\tnote\r\nOli otya?\tHow are "you"?\tEnglish\tlg\tx\r\n\r\n',
    );
    await write("clip.wav", "RIFF");
    await write(
      "more.jsonl",
      '{"audio": "clip.wav", "transcript": "Oli otya?", "language": "lug"}\n{"text": "Apwoyo", "language": "ach"}\n',
    );
    await write("notes.txt", "not read");
    const { items, name, about, repeated } = readData(folder);
    expect(items).toMatchObject([
      { task: "transcription", language: "lug", transcript: "Oli otya?", bytes: 4 },
      { task: "language_identification", language: "ach", text: "Apwoyo" },
      {
        task: "translation",
        source_language: "eng",
        target_language: "lug",
        source: 'How are "you"?',
        target: "Oli otya?",
      },
    ]);
    expect({ name: folder.endsWith(name), about, repeated }).toEqual({ name: true, about: "", repeated: 0 });
  });

  it("may have a name and a description, and rows that repeat others", async () => {
    await write("about.json", '{"name": "Clinic", "about": "Questions of patients"}');
    await write("texts.tsv", "language\ttext\nlug\tOli otya?\nlug\tOli otya?\nLuganda\tOli otya?\n");
    expect(readData(folder)).toMatchObject({
      name: "Clinic",
      about: "Questions of patients",
      items: [{ language: "lug" }],
      repeated: 2,
    });
  });

  it.each([
    ["a.tsv", "language\ttext\nlug\tOli\nlug\n", "a.tsv:3: it has 1 fields, and the first line has 2."],
    ["a.tsv", "language\ttext\nlug\t \n", "a.tsv:2: text must not be empty."],
    ["a.tsv", "language\tsentence\nlug\tOli\n", "a.tsv:2: it has none of the fields source, audio and text."],
    [
      "a.jsonl",
      '{"source": "Hello", "target": "Oli", "source_language": "eng"}\n',
      "a.jsonl:1: target_language is missing.",
    ],
    ["a.jsonl", '{"text": "a", "language": "lug"}\n{"text": \n', "a.jsonl:2: it is not JSON."],
    ["a.jsonl", "[1]\n", "a.jsonl:1: it is not a JSON object."],
    [
      "a.jsonl",
      '{"audio": "gone.wav", "transcript": "a", "language": "lug"}\n',
      "a.jsonl:1: there is no file gone.wav.",
    ],
    [
      "a.jsonl",
      '{"audio": "../../../../../../etc/passwd", "transcript": "a", "language": "lug"}\n',
      "is outside the folder.",
    ],
    ["a.tsv", Uint8Array.of(0xff, 0xfe, 0x41), "a.tsv cannot be read: it is not UTF-8."],
    ["a.txt", "text", "has no rows in files that end in .tsv or .jsonl."],
  ])("in which %s has a mistake is refused with its line", async (name, content, message) => {
    await write(name, content);
    expect(() => readData(folder)).toThrow(message);
  });

  it("that does not exist is named", () => {
    expect(() => readData(join(folder, "missing"))).toThrow("There is no folder");
  });
});

describe("The sentences of the project", () => {
  it("have the same 20 in each language, and say how few they are", () => {
    const { items, about, repeated } = readData(ownSentencesFolder);
    const counts = Map.groupBy(items, (item) =>
      item.task === "translation" ? `${item.source_language} ${item.target_language}` : item.language,
    );
    expect([...counts].map(([key, group]) => [key, group.length])).toEqual([
      ["eng", 20],
      ["lug", 20],
      ["eng lug", 20],
      ["lug eng", 20],
      ["eng swa", 20],
      ["swa eng", 20],
    ]);
    expect(repeated).toBe(0);
    expect(about).toContain("too few");
  });
});
