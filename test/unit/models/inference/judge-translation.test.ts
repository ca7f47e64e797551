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

const rain = "The heavy rain destroyed all the beans.";
const rainInLuganda = "Enkuba yayonoona ebijanjaalo.";

describe("a reply that is no translation has a reason", () => {
  test.each([
    ["no words", "empty", rain, "..."],
    ["the source as it was", "unchanged", rain, "the heavy rain destroyed all the beans"],
    [
      "the source as it was, with a tag",
      "unchanged",
      "Please <1>bring me some</1> water",
      "Please bring <1>me some water</1>",
    ],
    ["a refusal in English", "refused", rain, "I'm sorry, but I can't assist with that request."],
    ["a refusal as a language model", "refused", rain, "As an AI language model I have no opinion."],
    ["a refusal without an apology", "refused", rain, "I cannot translate this text."],
    ["a refusal of a kind", "refused", rain, "Unfortunately, I don't know Luganda."],
    [
      "a refusal for a source that apologises",
      "refused",
      "I'm sorry, I can't come.",
      "I'm sorry, I cannot help with that.",
    ],
    ["a refusal for a policy", "refused", rain, "This content violates our policy."],
    ["a request for the text", "refused", rain, "Sure! Please provide the text that I should translate."],
    ["a refusal in the target language", "refused", rain, "Nsonyiwa, sisobola kuvvuunula ekyo."],
    ["the instruction", "instruction_repeated", rain, `Translate from English to Luganda: ${rain}`],
    ["the system message", "instruction_repeated", rain, "Reply with the translation only."],
    ["an explanation", "wrong_language", rain, "The phrase means that heavy rain has destroyed a crop."],
    [
      "a translation and an explanation",
      "wrong_language",
      rain,
      `${rainInLuganda}\n\nThis sentence says that the rain has destroyed the beans in the field.`,
    ],
    [
      "a translation and an explanation in the same line",
      "wrong_language",
      rain,
      `${rainInLuganda} This sentence says that the rain has destroyed the beans in the field.`,
    ],
    ["the same words again and again", "repetitive", rain, `${rainInLuganda} `.repeat(4)],
    ["the same letters again and again", "repetitive", rain, `Enkuba ${"ya".repeat(60)}`],
  ])("%s", (_what, fault, source, reply) => {
    expect(faultOf(source, reply, "eng", "lug")).toBe(fault);
  });

  test("an unchanged text without a named language is detected", () => {
    const text = "The farmer sold twenty bags of rice at the market.";
    expect(faultOf(text, text, undefined, "lug")).toBe("unchanged");
    expect(faultOf(text, text, undefined, "eng")).toBeUndefined();
  });

  test("an apology in English is a refusal when the source does not apologise", () => {
    expect(faultOf("Enkuba etonnya", "I'm sorry, but I can't come.", "lug", "eng")).toBe("refused");
    expect(faultOf("Mvua inanyesha", "I'm sorry, but I can't assist with that.", "swa", "eng")).toBe(
      "refused",
    );
    expect(faultOf("Kot tye ka cwer", "I can't translate that.", "ach", "eng")).toBe("refused");
  });

  test("an explanation in English is not a translation into a third language either", () => {
    const reply = "This sentence means that the rain has destroyed the beans in the field.";
    expect(faultOf(rainInLuganda, reply, "lug", "ach")).toBe("wrong_language");
  });
});

const both = (text: string): [string, string] => [text, text];

describe("a translation is accepted", () => {
  test.each([
    ["an ordinary one", rain, rainInLuganda, "eng", "lug"],
    ["names and titles that stay", ...both("Ministry of Health, Uganda Bureau of Statistics"), "eng", "lug"],
    ["three words that could be translated", ...both("Bus to Gulu via Lira at Noon"), "eng", "lug"],
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
    [
      "a question that excuses itself",
      "Excuse me, where is the hospital?",
      "Samahani, hospitali iko wapi?",
      "eng",
      "swa",
    ],
    ["a person who does not know", "I have no idea.", "Sijui.", "eng", "swa"],
    [
      "a refusal of the source",
      "Samahani, siwezi kukusaidia na hilo.",
      "I'm sorry, I can't help you with that.",
      "swa",
      "eng",
    ],
    [
      "help that a person cannot give",
      "Siyinza kukuwa ssente.",
      "I cannot provide you with money.",
      "lug",
      "eng",
    ],
    ["what a bank cannot do", "Bbanka tesobola kukola kino.", "The bank cannot process this.", "lug", "eng"],
    [
      "a request for a text",
      "Musabe ampe ebbaluwa.",
      "Ask her: please give me the text of the letter.",
      "lug",
      "eng",
    ],
    ["condolences", "Kitalo nnyo.", "I'm very sorry for your loss.", "lug", "eng"],
    [
      "an apology of a language whose words are not known",
      "Timwa kica, pe aromo bino.",
      "I'm sorry, I can't come.",
      "ach",
      "eng",
    ],
    ["a title in quotation marks", 'He sang "I\'m sorry" again.', 'Yayimba "I\'m sorry" nate.', "eng", "lug"],
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
