import { readFileSync } from "node:fs";

import type { CorpusLine } from "./corpus.ts";

/**
 * Greetings and common phrases, which the corpora lack: they are written language, and people greet first. Written
 * by hand; the languages beside the six teach the model that a foreign greeting is none of theirs.
 */
export const readPhrases = (): readonly CorpusLine[] =>
  readFileSync(new URL("./phrases.tsv", import.meta.url), "utf8")
    .split("\n")
    .filter((row) => row !== "")
    .map((row, index) => {
      const [language, text, ...rest] = row.split("\t");
      if (language === undefined || text === undefined || rest.length) {
        throw new Error(`phrases.tsv, line ${index + 1}: expected a language and a phrase.`);
      }
      return { split: "train", language, source: "phrases", text };
    });
