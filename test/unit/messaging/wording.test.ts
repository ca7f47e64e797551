import { describe, expect, it } from "vitest";
import { modes } from "../../../functions/messaging/conversation.ts";
import {
  languageChoices,
  languageList,
  modeList,
  ratingList,
  voiceButtons,
  welcomeList,
} from "../../../functions/messaging/menus.ts";
import { type ApologyReason, apology, wording } from "../../../functions/messaging/wording.ts";

/** What the sentences that take something are given. */
const examples: Readonly<Record<string, readonly string[]>> = {
  greeting: [wording.greeting("Amina", "eng"), wording.greeting(undefined, "lug")],
  menu: modes.map(wording.menu),
  status: [
    wording.status({ mode: "speak", language: "lug", voice: true }, "Luganda"),
    wording.status({ mode: "chat", language: "eng", voice: false }, "English"),
  ],
  languages: [wording.languages(languageChoices)],
  languageNotOffered: [wording.languageNotOffered("Swahili")],
  thanks: [wording.thanks("eng"), wording.thanks("ach")],
  thanksForRating: [wording.thanksForRating("eng"), wording.thanksForRating("nyn")],
  tooMany: Object.values(wording.tooMany),
  languageSet: [wording.languageSet("Luganda")],
  modeSet: modes.map((mode) => wording.modeSet(mode, "Luganda")),
  voiceSettings: [wording.voiceSettings(true), wording.voiceSettings(false)],
  voiceOn: [wording.voiceOn("Luganda")],
  noVoiceFor: [wording.noVoiceFor("Lugbara")],
  transcriptLater: [wording.transcriptLater(95)],
  transcript: [wording.transcript("Oli otya?")],
};

const reasons: readonly ApologyReason[] = ["unavailable", "no-answer", "broken"];

const everySentence = (): [name: string, text: string][] => [
  ...Object.entries(wording).flatMap(([name, sentence]) =>
    (typeof sentence === "string" ? [sentence] : (examples[name] ?? [])).map((text): [string, string] => [
      name,
      text,
    ]),
  ),
  ...reasons.map((reason): [string, string] => {
    const output = apology(reason);
    return [`apology: ${reason}`, output.kind === "text" ? output.text : ""];
  }),
];

describe("the assistant's own words", () => {
  it("change on purpose only", async () => {
    expect(Object.keys(wording).filter((name) => !everySentence().some(([known]) => known === name))).toEqual(
      [],
    );
    const sentences = everySentence().map(([name, text]) => `## ${name}\n${text}\n`);
    await expect(sentences.join("\n")).toMatchFileSnapshot("wording.txt");
  });

  it("in menus change on purpose only", async () => {
    const menus = {
      welcomeList,
      languageList: languageList("Runyankole"),
      modeList: modeList("transcribe"),
      ratingList,
      voiceOn: voiceButtons(true),
      voiceOff: voiceButtons(false),
    };
    await expect(`${JSON.stringify(menus, undefined, 2)}\n`).toMatchFileSnapshot("menus.txt");
  });
});
