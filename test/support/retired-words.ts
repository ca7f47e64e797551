import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WordSearch } from "../house/words/find-words.ts";
import { namingPagePath, readNamingPage } from "../house/words/naming-page.ts";

const root = join(import.meta.dirname, "../..");
const search = new WordSearch(readNamingPage(readFileSync(join(root, namingPagePath), "utf8")));

const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

/** The texts of a page, block by block: what it shows but code, and the attributes that a reader sees or hears. */
const textsOf = (html: string): string[] => {
  const attributes = [...html.matchAll(/\s(?:alt|title|placeholder|aria-label|content)="([^"]*)"/g)];
  const shown = html
    .replace(/<(script|style|code|pre|textarea)\b[\s\S]*?<\/\1>/g, "\u{FFFC}")
    .replace(/<\/?(?:a|b|em|i|small|span|strong|time)\b[^>]*>/g, "")
    .split(/<[^>]*>/);
  return [...shown, ...attributes.map(([, value = ""]) => value)].map((text) =>
    text.replace(/&(?:quot|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity),
  );
};

/** The words of a text that the naming page retires, each with the words around it. */
export const retiredWordsIn = (text: string): string[] => search.findInText(text);

/** The retired words of a page, in what its reader sees or hears. */
export const retiredWordsInPage = (html: string): string[] => textsOf(html).flatMap(retiredWordsIn);
