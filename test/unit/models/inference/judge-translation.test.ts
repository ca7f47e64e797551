import { describe, expect, test } from "vitest";
import { faultOfTranslation } from "../../../../shared/models/inference/judge-translation.ts";
import { sourceLanguageDetectorOnDemand } from "../../../../shared/models/source-language/detector.ts";

const detector = sourceLanguageDetectorOnDemand();

const faultOf = (source: string, reply: string, sourceCode: string | undefined, targetCode: string) =>
  faultOfTranslation(
    reply,
    {
      source,
      sourceCode,
      targetCode,
      instructions: [
        "You are a translation engine. Reply with the translation only.",
        "Translate from English to Luganda:",
      ],
    },
    (text) => detector.detect(text)?.code,
  );

const rain = "The rain destroyed the beans.";
const rainInLuganda = "Enkuba yayonoona ebijanjaalo.";

describe("a reply that is no translation has a reason", () => {
  test.each([
    ["no words", "empty", rain, "..."],
    ["the source as it was", "unchanged", rain, "the rain destroyed the beans"],
    ["a short question as it was", "unchanged", "Where is the hospital?", "Where is the hospital?"],
    ["a refusal in English", "refused", rain, "I'm sorry, but I can't assist with that request."],
    ["a refusal as a language model", "refused", rain, "As an AI language model I have no opinion."],
    ["a refusal in the target language", "refused", rain, "Nsonyiwa, sisobola kuvvuunula ekyo."],
    ["the instruction", "instruction_repeated", rain, `Translate from English to Luganda: ${rain}`],
    ["the system message", "instruction_repeated", rain, "Reply with the translation only."],
    ["an explanation", "source_language", rain, "The phrase means that heavy rain has destroyed a crop."],
    [
      "a translation and an explanation",
      "source_language",
      rain,
      `${rainInLuganda}\n\nThis sentence says that the rain has destroyed the beans in the field.`,
    ],
    ["the same words again and again", "repetitive", rain, `${rainInLuganda} `.repeat(4)],
    ["the same letters again and again", "repetitive", rain, `Enkuba ${"ya".repeat(60)}`],
  ])("%s", (_what, fault, source, reply) => {
    expect(faultOf(source, reply, "eng", "lug")).toBe(fault);
  });

  test("an unchanged text whose language nobody named is detected", () => {
    const text = "The farmer sold twenty bags of rice at the market.";
    expect(faultOf(text, text, undefined, "lug")).toBe("unchanged");
    expect(faultOf(text, text, undefined, "eng")).toBeUndefined();
  });

  test("an apology in English is a refusal when the source does not apologise", () => {
    expect(faultOf("Enkuba etonnya", "I'm sorry, but I can't come.", "lug", "eng")).toBe("refused");
  });
});

const both = (text: string): [string, string] => [text, text];

describe("a translation is accepted", () => {
  test.each([
    ["an ordinary one", rain, rainInLuganda, "eng", "lug"],
    ["names and titles that stay", ...both("Ministry of Health, Uganda Bureau of Statistics"), "eng", "lug"],
    ["names of dishes", ...both("Posho, Matooke and Gonja"), "eng", "lug"],
    [
      "an address and a placeholder",
      ...both("Visit www.example.org/help or {name}@example.org"),
      "eng",
      "lug",
    ],
    ["numbers", ...both("12 300 5,000"), "eng", "lug"],
    [
      "an apology that the source has",
      "Nsonyiwa naye sisobola kujja",
      "I'm sorry, but I can't come.",
      "lug",
      "eng",
    ],
    [
      "an apology into another language",
      "I'm sorry, I can't come.",
      "Nsonyiwa, sisobola kujja.",
      "eng",
      "lug",
    ],
    ["a refrain", `Sing ${"la ".repeat(12)}`, `Yimba ${"la ".repeat(30)}`, "eng", "lug"],
    [
      "a text that two close languages share",
      ...both("Omusajja agenda mu nnyumba ye okulya emmere"),
      "lug",
      "xog",
    ],
    ["an empty source", "...", "...", "eng", "lug"],
  ])("%s", (_what, source, reply, sourceCode, targetCode) => {
    expect(faultOf(source, reply, sourceCode, targetCode)).toBeUndefined();
  });
});
