import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRepository } from "../house/sources.ts";
import { WordSearch } from "../house/words/find-words.ts";
import { namingPagePath, readNamingPage } from "../house/words/naming-page.ts";
import { retiredWordsIn } from "../support/retired-words.ts";

const root = join(import.meta.dirname, "../..");
const page = readNamingPage(readFileSync(join(root, namingPagePath), "utf8"));
const search = new WordSearch(page);
const findings = readRepository(root).files.flatMap((file) => search.find(file));

/** All sentences in a JSON document: the strings of several words, at any depth. */
const sentencesIn = (value: unknown): string[] => {
  if (typeof value === "string") return value.includes(" ") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(sentencesIn) : [];
};

describe("The words of this repository", () => {
  it("are not among those that the naming page retires", () => {
    expect(page.rules.length).toBeGreaterThan(60);
    const first = findings.slice(0, 20).map(({ path, line, word }) => `${path}:${line} ${word}`);
    expect(first).toEqual([]);
  });

  it("need every exception of the naming page", () => {
    expect(search.unusedExceptions()).toEqual([]);
  });

  it("of the assistant's replies are not retired either", () => {
    // Its tests write every reply into these files.
    const files = ["wording.txt", "menus.txt"].map((name) => join(root, "test/unit/messaging", name));
    const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
    expect(lines.length).toBeGreaterThan(100);
    expect([...new Set(lines.flatMap(retiredWordsIn))]).toEqual([]);
  });

  it("of the API's description are not retired either", () => {
    const document: unknown = JSON.parse(
      readFileSync(join(root, "shared/http/openapi/openapi.json"), "utf8"),
    );
    const sentences = sentencesIn(document);
    expect(sentences.length).toBeGreaterThan(500);
    expect([...new Set(sentences.flatMap(retiredWordsIn))]).toEqual([]);
  });
});
