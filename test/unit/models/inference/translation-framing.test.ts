import { describe, expect, test } from "vitest";
import { withoutFraming } from "../../../../shared/models/inference/translation-framing.ts";

const framed = (source: string) => ({ source, sourceLanguage: "English", targetLanguage: "Luganda" });

const source = "Good morning.";
const translation = "Wasuze otya nno?";

describe("what a model puts around a translation is removed", () => {
  test.each([
    ["quotation marks that the source does not have", `"${translation}"`],
    ["typographic quotation marks", `“${translation}”`],
    ["a line that announces it", `Here is the translation:\n${translation}`],
    ["a polite line that announces it", `Certainly, the translation is:\n\n${translation}`],
    ["a label in the same line", `Translation: ${translation}`],
    [
      "a line with the text in it",
      `Here is the translation of "Good morning." into Luganda:\n\n${translation}`,
    ],
    ["a label with the language", `Luganda translation: ${translation}`],
    ["the language in brackets", `Translation (Luganda): ${translation}`],
    ["a label in bold", `**Translation:** ${translation}`],
    ["the name of the language", `Luganda: ${translation}`],
    ["any line that ends with a colon, if the source has none", `Mu Luganda:\n${translation}`],
    ["a code fence", `\`\`\`text\n${translation}\n\`\`\``],
    ["a note in brackets", `${translation}\n\n(Note: this is informal.)`],
    ["a note in a paragraph of its own", `${translation}\n\nNote: people say this until noon.`],
    ["the source in front of it", `${source}\n${translation}`],
    ["the source and an arrow", `${source} -> ${translation}`],
    ["bold type", `**${translation}**`],
    ["the source behind it", `${translation}\n(${source})`],
    ["both texts with their languages", `English: ${source}\nLuganda: ${translation}`],
    ["a note that has brackets itself", `${translation} (Note: "otya" (how) is a question.)`],
    ["a note in italics", `${translation}\n*(Note: this is informal.)*`],
    ["a note in the next line", `${translation}\n**Note:** this is informal.`],
    ["words of consent", `Sure! ${translation}`],
    ["words of consent with a comma", `Of course, ${translation}`],
    ["the source in front of a translation in brackets", `${source} (${translation})`],
    ["a mark of XML", `<translation>${translation}</translation>`],
    ["a mark of XML on lines of its own", `<output>\n${translation}\n</output>`],
    ["several of these at once", `Sure! Here it is:\n\`\`\`\n"${translation}"\n\`\`\``],
  ])("%s", (_what, reply) => {
    expect(withoutFraming(reply, framed(source))).toBe(translation);
  });
});

describe("what may be part of the translation stays", () => {
  test.each([
    ["quotation marks of the source", '"Go"', '"Genda"'],
    ["two quotations", '"Go" he said, "now"', '"Genda" bwe yagamba, "kati"'],
    [
      "a first line with a colon, as in the source",
      "Note this:\nwash your hands",
      "Weetegereze:\nnaaba engalo",
    ],
    ["a first line of several", "Dear parents\nplease come", "Bazadde:\nmujje"],
    ["a label of the source", "Translation: the work of a translator", "Translation: omulimu gw'omuvvuunuzi"],
    ["consent that the source has", "Sure! Come in.", "Sure! Yingira."],
    ["a mark of the source", "<text>Good morning.</text>", "<text>Wasuze otya nno?</text>"],
    ["brackets behind other words", "Good morning to you.", "Wasuze otya (nno)?"],
    ["a code fence of the source", "```\nhello\n```", "```\noli otya\n```"],
    ["a note of the source", "Come early (note the time)", "Jjangu nga bukyali (Note: essaawa)"],
    ["a label of the translation", "Ekyavaamu kyangu: kola nnyo", "The answer is simple: work hard"],
    ["a note of the translation", "Weetegereze: naaba engalo.", "Note: wash your hands."],
    [
      "a paragraph with a note",
      "Naaba engalo.\n\nWeetegereze: kozesa sabbuuni.",
      "Wash your hands.\n\nNote: use soap.",
    ],
    ["brackets of the source", "Jjangu (essaawa emu)", "Come (note the time)"],
    ["a single word that is a name in both languages", "Kampala", "Kampala"],
  ])("%s", (_what, original, reply) => {
    expect(withoutFraming(reply, framed(original))).toBe(reply);
  });
});

test("a reply of framing alone leaves nothing", () => {
  expect(withoutFraming("Here is the translation:", framed(source))).toBe("");
});
