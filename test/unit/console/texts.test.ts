import { describe, expect, it } from "vitest";
import {
  chooseConsoleLanguage,
  consoleLanguagesVariable,
  fill,
  textsOf,
} from "../../../shared/pages/texts/languages.ts";

/** Every text of a language, by its key. */
const listed = (words: object, path = ""): [string, string][] =>
  Object.entries(words).flatMap(([name, value]) =>
    typeof value === "string" ? [[`${path}${name}`, value]] : listed(value, `${path}${name}.`),
  );

const placeholdersOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

const english = new Map(listed(textsOf.en));

describe("The words of the console", () => {
  it.each(Object.entries(textsOf))("in %s are all there, with the same placeholders", (_tag, words) => {
    const texts = listed(words);
    expect(texts.map(([path]) => path).toSorted()).toEqual([...english.keys()].toSorted());
    expect(texts.filter(([, text]) => text.trim() === "")).toEqual([]);
    for (const [path, text] of texts) {
      expect([path, placeholdersOf(text)]).toEqual([path, placeholdersOf(english.get(path) ?? "")]);
    }
  });

  it.each(Object.entries(textsOf))("in %s name a button by the words on it", (_tag, words) => {
    const texts = new Map(listed(words));
    const named = [...texts].filter(([path]) => path.endsWith("Named"));
    expect(named).not.toEqual([]);
    for (const [path, name] of named) expect(name).toContain(texts.get(path.slice(0, -"Named".length)));
  });

  it("are filled in, also with what looks like a placeholder", () => {
    expect(fill("{used} of {limit}", { used: 0, limit: "{used}" })).toBe("0 of {used}");
  });
});

describe("The language of a page", () => {
  const all = ["en", "lg", "sw"] as const;

  it("is the chosen one, then the best that the browser requests, then the first", () => {
    expect(chooseConsoleLanguage(all, [undefined, "sw"], "lg")).toBe("sw");
    expect(chooseConsoleLanguage(all, ["xx"], "fr, en;q=0.5, lg-UG;q=0.9, sw;q=0")).toBe("lg");
    expect(chooseConsoleLanguage(all, [], "sw;v=1;q=0.5, lg;q=0.9")).toBe("lg");
    expect(chooseConsoleLanguage(all, [], "lug")).toBe("lg");
    expect(chooseConsoleLanguage(all, [], "fr")).toBe("en");
    expect(chooseConsoleLanguage(all, [], undefined)).toBe("en");
  });

  it("is never one that the stage does not offer", () => {
    expect(chooseConsoleLanguage(["en"], ["sw", "lg"], "sw")).toBe("en");
    expect(consoleLanguagesVariable.parse("en, sw")).toEqual(["en", "sw"]);
    expect(consoleLanguagesVariable.safeParse("en,xx").success).toBe(false);
    expect(consoleLanguagesVariable.safeParse("").success).toBe(false);
  });
});
