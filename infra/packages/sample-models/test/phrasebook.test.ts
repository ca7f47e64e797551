import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  findLanguage,
  fold,
  type PhrasebookLanguage,
  phrasebookLanguages,
} from "../src/phrasebook/languages.ts";
import { findPhrase, phrases } from "../src/phrasebook/phrasebook.ts";
import { splitSentences } from "../src/phrasebook/sentences.ts";
import { translateRuns } from "../src/phrasebook/translate.ts";

const wording = z
  .string()
  .regex(/^[\p{L}\p{M}' ]+\??$/u, "letters, apostrophes and single spaces, with a question mark at most")
  .refine((text) => text === text.trim() && !text.includes("  "), "no spare white space");
const wordings = z.tuple([wording], wording);
const phraseSchema = z.strictObject({
  id: z.string().regex(/^[a-z]+(-[a-z]+)*$/u),
  eng: wordings,
  lug: wordings.optional(),
  swa: wordings.optional(),
  kin: wordings.optional(),
  nyn: wordings.optional(),
  ach: wordings.optional(),
});

/** The translation of a text, undefined where a part of it has none. */
const translated = (text: string, target: string, source?: string): string | undefined => {
  const runs = translateRuns({ text, target, ...(source === undefined ? {} : { source }) });
  if (runs.some((run) => run.translation === undefined)) return undefined;
  return runs.map((run) => run.translation + run.gap).join("");
};

describe("The table of the phrasebook", () => {
  it("has a non-empty wording in every cell, and at least one language besides English in every phrase", () => {
    for (const phrase of phrases) {
      expect(phraseSchema.safeParse(phrase).error, phrase.id).toBeUndefined();
      expect(
        Object.keys(phraseSchema.shape).filter((key) => key in phrase).length,
        phrase.id,
      ).toBeGreaterThan(2);
    }
  });

  it("names every phrase once", () => {
    const ids = phrases.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(phrasebookLanguages)("has one meaning for every wording in %s", (language) => {
    const forms = phrases.flatMap((phrase) => (phrase[language] ?? []).map(fold));
    const repeated = forms.filter((form, position) => forms.indexOf(form) !== position);
    expect(repeated).toEqual([]);
  });

  it("has no wording that means one thing in one language and another in the next", () => {
    // Without a named source a sentence is looked up in all languages, so it must mean the same in all of them.
    const meanings = Map.groupBy(
      phrases.flatMap((phrase) =>
        phrasebookLanguages.flatMap((language) =>
          (phrase[language] ?? []).map((text) => ({ form: fold(text), id: phrase.id })),
        ),
      ),
      ({ form }) => form,
    );
    for (const [form, entries] of meanings) expect(new Set(entries.map(({ id }) => id)).size, form).toBe(1);
  });

  it("finds every wording of every language again", () => {
    for (const phrase of phrases) {
      for (const language of phrasebookLanguages) {
        for (const text of phrase[language] ?? []) expect(findPhrase(text, language)?.id).toBe(phrase.id);
      }
    }
  });

  it("translates every given wording to English and back to itself", () => {
    const others = phrasebookLanguages.filter((language) => language !== "eng");
    for (const phrase of phrases) {
      for (const language of others) {
        const given = phrase[language]?.[0];
        if (given === undefined) continue;
        const english = translated(given, "eng", language);
        expect(english, given).toBe(phrase.eng[0]);
        // The capital of "I" is taken for that of a sentence, so case is left aside.
        expect(translated(phrase.eng[0], language, "eng")?.toLowerCase(), phrase.id).toBe(
          given.toLowerCase(),
        );
      }
    }
  });

  it.each([
    ["lug", "lg"],
    ["swa", "sw"],
    ["kin", "rw"],
    ["nyn", "nyn"],
  ] as const)(
    "knows the days of the week in %s as the Unicode locale data names them",
    (language, locale) => {
      const weekday = (name: string, day: number) =>
        new Intl.DateTimeFormat(name, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, day));
      for (let day = 1; day <= 7; day += 1) {
        expect(findPhrase(weekday(locale, day), language)?.eng[0]).toBe(weekday("en", day));
      }
    },
  );
});

describe("The languages of the phrasebook", () => {
  it.each([
    ["Luganda", "lug"],
    ["kiswahili", "swa"],
    ["RUNYANKORE", "nyn"],
    ["ach", "ach"],
  ])("knows %s as %s", (name, language) => {
    expect(findLanguage(name)).toBe(language);
  });

  it("does not know a language that it has no phrases in", () => {
    expect(findLanguage("Ateso")).toBeUndefined();
  });
});

describe("Looking a sentence up", () => {
  it.each(["how are you", "How are you?", "HOW  ARE\tYOU ??", " how are you doing?", "“How are you?”"])(
    "finds «%s» with any case, punctuation and white space",
    (text) => {
      expect(findPhrase(text, "eng")?.id).toBe("how-are-you");
    },
  );

  it.each(["omusujja gw'ensiri", "Omusujja gw’ensiri.", "omusujja gwʼensiri"])(
    "finds «%s» with any shape of its apostrophe",
    (text) => {
      expect(findPhrase(text, "lug")?.id).toBe("malaria");
    },
  );

  it("takes letters in either Unicode form for the same", () => {
    expect(fold("Olú")).toBe(fold("Olu\u0301"));
  });

  it("does not find part of a phrase", () => {
    expect(findPhrase("how are", "eng")).toBeUndefined();
    expect(findPhrase("", "eng")).toBeUndefined();
  });
});

describe("Splitting a text into sentences", () => {
  it("splits at closing punctuation and at line breaks, not inside a number", () => {
    const text = 'Good morning. how are you?! "I paid 3.5 dollars." Oh… yes\n\n  - Thank you';
    const words = splitSentences(text).map((sentence) => sentence.words);
    expect(words).toEqual(["Good morning", "how are you", "I paid 3.5 dollars", "Oh", "yes", "Thank you"]);
  });

  it("loses no character of any text", () => {
    const texts = fc.string({ unit: fc.constantFrom(..."ab .?!…,\n\t\"'’é😀\u0301"), maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: "grapheme" })), (text) => {
        const parts = splitSentences(text).flatMap((sentence) => Object.values(sentence));
        expect(parts.join("")).toBe(text);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe("Translating with the phrasebook", () => {
  const examples: [
    text: string,
    source: PhrasebookLanguage,
    target: PhrasebookLanguage,
    translation: string,
  ][] = [
    ["Good morning", "eng", "lug", "Wasuze otya nno"],
    ["How are you?", "eng", "lug", "Oli otya?"],
    ["Thank you", "eng", "lug", "Webale"],
    ["Thank you", "eng", "swa", "Asante"],
    ["Thank you", "eng", "kin", "Murakoze"],
    ["Thank you", "eng", "nyn", "Webare"],
    ["Thank you", "eng", "ach", "Apwoyo"],
    ["Thank you very much!", "eng", "ach", "Apwoyo matek!"],
    ["Asante sana.", "swa", "lug", "Webale nnyo."],
    ["Jumatatu", "swa", "eng", "Monday"],
    ["Amakuru?", "kin", "swa", "Habari yako?"],
    ["Apar", "ach", "nyn", "Ikumi"],
    ["Eddwaliro liri wa?", "lug", "ach", "Ot yat tye kwene?"],
  ];
  it.each(examples)("translates «%s» from %s to %s", (text, source, target, translation) => {
    expect(translated(text, target, source)).toBe(translation);
  });

  it("translates each sentence of a text and keeps its punctuation, capitals and lines", () => {
    const text = "Good morning! How are you?\n\nthank you very much…  (Goodbye.)";
    expect(translated(text, "Luganda", "English")).toBe(
      "Wasuze otya nno! Oli otya?\n\nwebale nnyo…  (Weeraba.)",
    );
  });

  it("translates clause by clause when the sentence itself is not in the phrasebook", () => {
    expect(translated("Hello, how are you?", "lug", "eng")).toBe("Gyebale ko, oli otya?");
    expect(translated("I am fine, thank you.", "swa", "eng")).toBe("Sijambo, asante.");
    expect(translated("one, two, three", "kin", "eng")).toBe("rimwe, kabiri, gatatu");
    expect(translated("How are you, thank you.", "lug", "eng")).toBe("Oli otya, webale.");
    expect(translated("Hello, dear colleagues.", "lug", "eng")).toBeUndefined();
  });

  it("asks in the target language when the source asks by its words only, but not the reverse", () => {
    expect(translated("how are you", "lug", "eng")).toBe("oli otya?");
    expect(translated("How are you.", "lug", "eng")).toBe("Oli otya?");
    expect(translated("Oraire ota?", "eng", "nyn")).toBe("Good morning.");
  });

  it("infers the source as the language in which the sentences are found", () => {
    expect(translated("Habari za asubuhi. Asante sana.", "eng")).toBe("Good morning. Thank you very much.");
    expect(translated("Wasuze otya nno?", "swa")).toBe("Habari za asubuhi.");
    expect(translated("Asante. Webale nnyo! Munaana", "kin")).toBe("Murakoze. Murakoze cyane! Umunani");
  });

  it("leaves a text alone that is in the target language already", () => {
    expect(translated("Webale nnyo.", "lug")).toBe("Webale nnyo.");
  });

  it("keeps numbers and signs, which are the same in every language", () => {
    expect(translated("1. Asante 👍\n2. Kwaheri", "eng")).toBe("1. Thank you 👍\n2. Goodbye");
  });

  it("does not look in other languages when the source is named", () => {
    expect(translated("Asante", "eng", "lug")).toBeUndefined();
    expect(translated("Asante", "eng", "Ateso")).toBeUndefined();
    expect(translated("Asante", "Ateso")).toBeUndefined();
  });

  it("does not translate what a language has no wording for", () => {
    expect(translated("Monday", "ach", "eng")).toBeUndefined();
  });

  it("reports neighbouring unknown sentences of a line as one run, and keeps the known ones", () => {
    const text = "Good morning. Rain fell. Roads are wet.\nThe market is full. Thank you!";
    expect(
      translateRuns({ text, target: "lug" }).map(({ original, translation }) => [original, translation]),
    ).toEqual([
      ["Good morning.", "Wasuze otya nno."],
      ["Rain fell. Roads are wet.", undefined],
      ["The market is full.", undefined],
      ["Thank you!", "Webale!"],
    ]);
  });

  it("accounts for every character of any text, translatable or not", () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom("Good morning", "asante", ". ", "? ", "\n", ", ", "…"),
        fc.string({ maxLength: 8 }),
      ),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...phrasebookLanguages), (pieces, target) => {
        const runs = translateRuns({ text: pieces.join(""), target });
        expect(runs.map(({ original, gap }) => original + gap).join("")).toBe(pieces.join(""));
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  it.each(["…, .", ", ", "'", ". "])(
    "keeps long runs of punctuation and white space, and does not hang over them: %j",
    { timeout: 10_000 },
    (pattern) => {
      const text = `a${pattern.repeat(60_000)}a`;
      const runs = translateRuns({ text, target: "lug" });
      expect(runs.map(({ original, gap }) => original + gap).join("") === text).toBe(true);
    },
  );
});
