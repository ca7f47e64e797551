import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, firstSentences, splitText } from "../../../functions/messaging/cut-text.ts";
import { guardOutput } from "../../../functions/messaging/guard-output.ts";
import { speakableText } from "../../../functions/messaging/voice-notes.ts";

describe("a model's answer", () => {
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
  ])("is shown %s", (_how, answer, shown) => {
    expect(guardOutput(answer)).toBe(shown);
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
  ])("is not shown when it is %s", (_what, answer) => {
    expect(guardOutput(answer)).toBeUndefined();
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
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 4, max: 60 }), (text, maximum) => {
        const cut = cutText(text, maximum);
        expect(cut.length).toBeLessThanOrEqual(maximum);
        expect(cut.isWellFormed()).toBe(text.isWellFormed());
        if (text.length > maximum) expect(cut.endsWith("…")).toBe(true);
      }),
    );
  });

  it("ends between words when a sentence would lose too much", () => {
    expect(cutText("A. This sentence goes on and on without any end in sight", 40)).toBe(
      "A. This sentence goes on and on…",
    );
  });

  it("into pieces loses nothing but white space", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("Oli otya? ", "Ndi bulungi. ", "አማርኛ። ", "x".repeat(30), "\n\n", "😀"), {
          maxLength: 60,
        }),
        fc.integer({ min: 20, max: 80 }),
        (parts, maximum) => {
          const text = parts.join("");
          const pieces = splitText(text, maximum);
          for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(maximum);
          expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        },
      ),
    );
  });

  it("for reading out leaves whole sentences and no ellipsis", () => {
    expect(firstSentences("One. Two is longer. Three never ends", 24)).toBe("One. Two is longer.");
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
  ])("says %j as %j", (text, spoken) => {
    expect(speakableText(text)).toBe(spoken);
  });

  it("is at most 600 characters long", () => {
    expect(speakableText("Oli otya ssebo. ".repeat(100)).length).toBeLessThanOrEqual(600);
  });
});
