import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, firstSentences, splitText } from "../../../functions/messaging/cut-text.ts";
import { guardOutput } from "../../../functions/messaging/guard-output.ts";
import { speakableText } from "../../../functions/messaging/voice-notes.ts";

describe("a model's reply", () => {
  it.each([
    ["as it is", "Oli otya? I am well.", "Oli otya? I am well."],
    ["without the tokens of its template", "<|im_start|>assistant\nWebale<|im_end|>", "Webale"],
    ["without Llama's tokens", "<|begin_of_text|>Webale<|eot_id|>", "Webale"],
    ["without Gemma's tokens", "<start_of_turn>model\nWebale<end_of_turn>", "Webale"],
    ["without Mistral's tokens", "<s>[INST] [/INST] Webale</s>", "Webale"],
    ["without lines that only name a role", "assistant\nWebale\nuser:", "Webale"],
    ["without a role in front", "Assistant: Webale nnyo", "Webale nnyo"],
    ["without a role that is glued to it", "assistantWebale nnyo", "Webale nnyo"],
    ["up to where the model plays the person", "Webale.<|im_end|>\n<|im_start|>user\nMore!", "Webale."],
    ["without decoration", "Webale\n----------------------\nnnyo", "Webale\n\nnnyo"],
    [
      "with words like user and system in it",
      "The user of this system is a model farmer.",
      "The user of this system is a model farmer.",
    ],
    ["with laughter", "Hahaha haha, that is funny!", "Hahaha haha, that is funny!"],
    [
      "with a short repetition",
      "No, no, no, no! Boil the water first and then add salt.",
      "No, no, no, no! Boil the water first and then add salt.",
    ],
    ["with DeepSeek's tokens", "<｜begin▁of▁sentence｜>Webale<｜end▁of▁sentence｜>", "Webale"],
    ["with Llama 2's tokens", "<<SYS>>Webale<</SYS>></s>", "Webale"],
    ["up to where Llama plays the person", "Webale.<|start_header_id|>user\nMore!", "Webale."],
    ["up to where Gemma plays the person", "Webale.<start_of_turn> user More!", "Webale."],
    ["up to where it plays a human", "Webale.<|im_start|>HUMAN\nMore!", "Webale."],
    ["with a token of forty letters taken out", `Webale<|${"abcdefghij".repeat(4)}|>`, "Webale"],
    [
      "with what is too long for a token",
      `Webale <|${"abcdefghij".repeat(4)}k|>`,
      `Webale <|${"abcdefghij".repeat(4)}k|>`,
    ],
    ["with a role in the middle of a line", "Ask the user: now", "Ask the user: now"],
    ["without a role in capitals alone in a line", "USER:\nWebale", "Webale"],
    ["with a word that begins like a role", "assistants are here", "assistants are here"],
    ["with five dashes", "Webale ----- nnyo", "Webale ----- nnyo"],
    ["without six dashes", "Webale ------ nnyo", "Webale  nnyo"],
    ["with at most one empty line", "Webale\n\n\n\nnnyo", "Webale\n\nnnyo"],
    ["with two line breaks", "Webale\n\nnnyo", "Webale\n\nnnyo"],
    ["without half a character", "Webale \ud83d nnyo", "Webale \ufffd nnyo"],
    ["when it is one digit", "7", "7"],
    ["with eighteen letters in a row", `Webale ${"o".repeat(18)}`, `Webale ${"o".repeat(18)}`],
  ])("is shown %s", (_how, reply, shown) => {
    expect(guardOutput(reply)).toBe(shown);
  });

  it.each([
    ["empty", "  \n "],
    ["scaffolding only", "<|im_start|>assistant\n<|im_end|>"],
    ["emoji only", "😀😀😀"],
    ["one word over and over", `Webale ${"nnyo ".repeat(6)}ssebo`],
    ["one group of words over and over", "How are you my friend? ".repeat(6)],
    ["one short word for half of it", "ki a b ki c d ki ki e ki f ki ki ki"],
    ["one letter without end", `Webale ${"o".repeat(40)}`],
    ["an emoji flood", `Hello ${"🎉".repeat(30)}`],
  ])("is not shown when it is %s", (_what, reply) => {
    expect(guardOutput(reply)).toBeUndefined();
  });

  /** This many different words of eight letters. */
  const differentWords = (count: number) =>
    Array.from({ length: count }, (_, index) => `${String.fromCharCode(97 + index)}xyzwvut`);

  it("goes round in circles when up to eight words come six times in a row, and not before", () => {
    const round = (length: number, turns: number) =>
      Array.from({ length: turns }, () => differentWords(length).join(" ")).join(" ");
    expect(guardOutput(round(8, 6))).toBeUndefined();
    expect(guardOutput(round(1, 6))).toBeUndefined();
    expect(guardOutput(`Webale nnyo. ${round(3, 6)}`)).toBeUndefined();
    for (const reply of [round(8, 5), round(9, 6), round(1, 5)]) expect(guardOutput(reply)).toBe(reply);
    expect(guardOutput(round(2, 6).replace("axyzwvut bxyzwvut", "AXYZWVUT BXYZWVUT"))).toBeUndefined();
  });

  it("has lost its thread when half of twelve words or more are one short word", () => {
    const mixed = (word: string, times: number, others: number) => {
      const all = differentWords(others);
      return all.map((other, index) => (index < times ? `${word} ${other}` : other)).join(" ");
    };
    expect(guardOutput(mixed("abcdef", 6, 6))).toBeUndefined();
    expect(guardOutput(mixed("ABCDEF", 6, 6))).toBeUndefined();
    for (const reply of [mixed("abcdef", 5, 6), mixed("abcdef", 6, 7), mixed("abcdefg", 6, 6)]) {
      expect(guardOutput(reply)).toBe(reply);
    }
    expect(guardOutput("ki aa ki bb ki cc ki dd ki ee ki")).toBe("ki aa ki bb ki cc ki dd ki ee ki");
  });

  it("is read up to its 20,000th character", () => {
    const start = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ");
    const flood = (from: number) => `${start.slice(0, from - 1)} ${"o".repeat(40)}`;
    expect(guardOutput(flood(20_000 - 19))).toBeUndefined();
    expect(guardOutput(flood(20_000 - 18))).toMatch(/^word0 word1 /);
  });

  it("of 3,500 characters is shown whole, and of one more is cut", () => {
    const words = Array.from({ length: 900 }, (_, index) => `word${index}`).join(" ");
    expect(guardOutput(words.slice(0, 3_499).trimEnd().padEnd(3_500, "!"))).toHaveLength(3_500);
    expect(guardOutput(words.slice(0, 3_499).trimEnd().padEnd(3_501, "!"))).toMatch(/ …$|…$/);
  });

  it("that is too long is cut after a sentence", () => {
    const sentences = Array.from(
      { length: 200 },
      (_, index) => `This is sentence number ${index}, told once.`,
    );
    const shown = guardOutput(sentences.join(" ")) ?? "";
    expect(shown.length).toBeLessThanOrEqual(3_500);
    expect(shown.length).toBeGreaterThan(3_000);
    expect(shown).toMatch(/told once\. …$/);
  });

  it("of any length comes to a judgement", () => {
    expect(guardOutput("a ".repeat(2_000_000))).toBeUndefined();
    expect(guardOutput("\n".repeat(3_000_000))).toBeUndefined();
    expect(guardOutput(`<|${"xy".repeat(1_000_000)}`)).toMatch(/^<\|xy/);
  });
});

describe("cutting", () => {
  it("leaves a short text alone, and never makes half a character", () => {
    expect(cutText("Webale", 6)).toBe("Webale");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 4, max: 60 }), (text, maxLength) => {
        const cut = cutText(text, maxLength);
        expect(cut.length).toBeLessThanOrEqual(maxLength);
        expect(cut.isWellFormed()).toBe(text.isWellFormed());
        if (text.length > maxLength) expect(cut.endsWith("…")).toBe(true);
      }),
    );
  });

  it("ends between words when a sentence would lose too much", () => {
    expect(cutText("A. This sentence goes on and on without any end in sight", 40)).toBe(
      "A. This sentence goes on and on…",
    );
  });

  it.each([
    // As many units as are allowed.
    ["Webale nnyo", 11, "Webale nnyo"],
    ["Webale nnyo ssebo", 10, "Webale…"],
    // A sentence that ends exactly in the middle is too short, one after it stays.
    ["Abc. efgh ijkl", 10, "Abc. efg…"],
    ["Ab. defgh ijkl", 12, "Ab. defgh…"],
    ["One two. Three four five", 16, "One two. …"],
    ['He said "no!" and then he went', 18, 'He said "no!" …'],
    ["አማርኛ። አማርኛ አማርኛ", 10, "አማርኛ። …"],
    ["First line\nsecond line", 16, "First line…"],
    ["Version 2.0 is out of the door", 16, "Version 2.0…"],
    ["abcdefghijklmnop", 10, "abcdefgh…"],
    ["abcdefg😀hij", 10, "abcdefg…"],
  ])("cuts %j to %i units: %j", (text, maxLength, cut) => {
    expect(cutText(text, maxLength)).toBe(cut);
  });

  it("into pieces cuts between sentences, then between words, and leaves one that fits as it is", () => {
    expect(splitText("  One. Two. Three. ", 10)).toEqual(["One. Two.", "Three."]);
    expect(splitText("One two three", 9)).toEqual(["One two", "three"]);
    expect(splitText("exactly ten", 11)).toEqual(["exactly ten"]);
    expect(splitText("abcdefgh", 4)).toEqual(["abcd", "efgh"]);
    expect(splitText("  ", 4)).toEqual([]);
  });

  it("into pieces loses nothing but white space", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("Oli otya? ", "Ndi bulungi. ", "አማርኛ። ", "x".repeat(30), "\n\n", "😀"), {
          maxLength: 60,
        }),
        fc.integer({ min: 20, max: 80 }),
        (parts, maxLength) => {
          const text = parts.join("");
          const pieces = splitText(text, maxLength);
          for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(maxLength);
          expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        },
      ),
    );
  });

  it("for reading aloud has whole sentences and no ellipsis", () => {
    expect(firstSentences("One. Two is longer. Three never ends", 24)).toBe("One. Two is longer.");
    expect(firstSentences("One. Two.", 9)).toBe("One. Two.");
    expect(firstSentences("One two three", 9)).toBe("One two");
    expect(firstSentences("abcdefgh😀", 9)).toBe("abcdefgh");
  });
});

describe("a text that is read out", () => {
  it.each([
    ["**Bold**, _soft_ and `code`", "Bold, soft and code"],
    ["# Title\n- first\n- second", "Title first second"],
    ["See [our page](https://example.com/x) now", "See our page now"],
    ["More at https://example.com/abc today", "More at today"],
    ["Webale 🙏🏾 nnyo ❤️ 🇺🇬", "Webale nnyo"],
    ["It costs 1,250,000 shillings", "It costs 1250000 shillings"],
    ["Call 0772123456 now", "Call 0 7 7 2 1 2 3 4 5 6 now"],
    ["In 2026 it was 3.5 %", "In 2026 it was 3.5 %"],
    ["Take 123456 or 1234567", "Take 123456 or 1 2 3 4 5 6 7"],
    ["Take 12,34 or 1,234", "Take 12,34 or 1234"],
    ["```js\nlet x\n```", "let x"],
    ["![a picture](https://example.com/x.png) of it", "a picture of it"],
    ["> quoted\n* one\n+ two\n• three\n###### six", "quoted one two three six"],
    ["~~gone~~ 2 * 3", "gone 2 3"],
    ["Press 1️⃣ or 👨‍👩‍👧", "Press 1 or"],
  ])("says %j as %j", (text, spoken) => {
    expect(speakableText(text)).toBe(spoken);
  });

  it("is at most 600 characters long", () => {
    expect(speakableText("Oli otya ssebo. ".repeat(100))).toBe("Oli otya ssebo. ".repeat(37).trim());
    expect(speakableText("x".repeat(600))).toHaveLength(600);
    expect(speakableText(`${"x".repeat(300)} ${"y".repeat(300)}`)).toBe(
      `${"x".repeat(300)} ${"y".repeat(299)}`,
    );
  });
});
