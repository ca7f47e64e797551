import { describe, expect, test } from "vitest";
import { withoutFraming } from "../../../../shared/models/inference/translation-framing.ts";

const source = "Good morning.";
const translation = "Wasuze otya nno?";

describe("what a model puts around a translation is removed", () => {
  test.each([
    ["quotation marks that the source does not have", `"${translation}"`],
    ["typographic quotation marks", `“${translation}”`],
    ["a line that announces it", `Here is the translation:\n${translation}`],
    ["a polite line that announces it", `Certainly, the translation is:\n\n${translation}`],
    ["a label in the same line", `Translation: ${translation}`],
    ["a label in bold", `**Translation:** ${translation}`],
    ["the name of the language", `Luganda: ${translation}`],
    ["any line that ends with a colon, if the source has none", `Mu Luganda:\n${translation}`],
    ["a code fence", `\`\`\`text\n${translation}\n\`\`\``],
    ["a note in brackets", `${translation}\n\n(Note: this is informal.)`],
    ["a note in a paragraph of its own", `${translation}\n\nNote: people say this until noon.`],
    ["the source in front of it", `${source}\n${translation}`],
    ["the source and an arrow", `${source} -> ${translation}`],
    ["several of these at once", `Sure! Here it is:\n\`\`\`\n"${translation}"\n\`\`\``],
  ])("%s", (_what, reply) => {
    expect(withoutFraming(reply, source, "Luganda")).toBe(translation);
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
    ["a code fence of the source", "```\nhello\n```", "```\noli otya\n```"],
    ["a note of the source", "Come early (note the time)", "Jjangu nga bukyali (Note: essaawa)"],
    ["a single word that is a name in both languages", "Kampala", "Kampala"],
  ])("%s", (_what, original, reply) => {
    expect(withoutFraming(reply, original, "Luganda")).toBe(reply);
  });
});

test("a reply of framing alone leaves nothing", () => {
  expect(withoutFraming("Here is the translation:", source, "Luganda")).toBe("");
});
