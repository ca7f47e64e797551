import { describe, expect, it } from "vitest";
import { modes } from "../../../functions/messaging/conversation.ts";
import { limits } from "../../../functions/messaging/graph-message.ts";
import {
  languageChoices,
  languageList,
  modeList,
  ratingList,
  voiceButtons,
  welcomeList,
} from "../../../functions/messaging/menus.ts";
import { hasMoreThan } from "../../../functions/messaging/sender-data.ts";
import type { StoredAboutPerson, Wording } from "../../../functions/messaging/wording/english.ts";
import { wordingFor, wordingIn, wordings } from "../../../functions/messaging/wording.ts";

const stored: StoredAboutPerson = {
  mode: "translate",
  language: "Acholi",
  voice: false,
  stored: { exchanges: 3, note: true, ratings: 1, translations: 2, records: 17, recording: false },
};

/** What the sentences that take something are given. */
const examplesOf = (wording: Wording): Readonly<Record<string, readonly string[]>> => ({
  greeting: [wording.greeting("Amina", "eng"), wording.greeting(undefined, "lug")],
  menu: modes.map(wording.menu),
  status: [
    wording.status({ mode: "speak", language: "lug", voice: true }, "Luganda"),
    wording.status({ mode: "chat", language: "eng", voice: false }, "English"),
  ],
  languages: [wording.languages(languageChoices)],
  languageNotOffered: [wording.languageNotOffered("Rukiga")],
  thanks: [wording.thanks("eng"), wording.thanks("ach")],
  thanksForRating: [wording.thanksForRating("eng"), wording.thanksForRating("nyn")],
  tooMany: Object.values(wording.tooMany),
  apologies: Object.values(wording.apologies),
  languageSet: [wording.languageSet("Luganda")],
  modeSet: modes.map((mode) => wording.modeSet(mode, "Luganda")),
  voiceSettings: [wording.voiceSettings(true), wording.voiceSettings(false)],
  voiceOn: [wording.voiceOn("Luganda")],
  noVoiceFor: [wording.noVoiceFor("Lugbara")],
  voiceNoteOfKind: [wording.voiceNoteOfKind("a Windows Media file")],
  transcriptLater: [wording.transcriptLater(95)],
  transcript: [wording.transcript("Oli otya?")],
  understood: [wording.understood("Oli otya?")],
  consent: [wording.consent("https://api.example.org/privacy")],
  myData: [wording.myData(stored), wording.myData({ ...stored, voice: true })],
});

/** Every sentence of a language, with its name. */
const sentencesOf = (wording: Wording): [name: string, text: string][] => {
  const { menus: _, ...sentences } = wording;
  const examples = examplesOf(wording);
  return Object.entries(sentences).flatMap(([name, sentence]) =>
    (typeof sentence === "string" ? [sentence] : (examples[name] ?? [])).map((text): [string, string] => [
      name,
      text,
    ]),
  );
};

const menusOf = (wording: Wording) => ({
  welcomeList: welcomeList(wording),
  languageList: languageList("Runyankole", wording),
  modeList: modeList("transcribe", wording),
  ratingList: ratingList(wording),
  voiceOn: voiceButtons(true, wording),
  voiceOff: voiceButtons(false, wording),
});

const { eng, lug, swa } = wordings;
const files = { eng: "", lug: ".lug", swa: ".swa" } as const;

describe("the assistant's own words", () => {
  it.each(["eng", "lug", "swa"] as const)("change on purpose only: %s", async (language) => {
    const sentences = sentencesOf(wordings[language]);
    const names = new Set(sentences.map(([name]) => name));
    expect(Object.keys(eng).filter((name) => name !== "menus" && !names.has(name))).toEqual([]);
    const text = sentences.map(([name, sentence]) => `## ${name}\n${sentence}\n`).join("\n");
    await expect(text).toMatchFileSnapshot(`wording${files[language]}.txt`);
  });

  it.each(["eng", "lug", "swa"] as const)("in menus change on purpose only: %s", async (language) => {
    const menus = `${JSON.stringify(menusOf(wordings[language]), undefined, 2)}\n`;
    await expect(menus).toMatchFileSnapshot(`menus${files[language]}.txt`);
  });

  it.each([
    ["Luganda", lug],
    ["Swahili", swa],
  ])("exist in %s, each in other words than in English, and fit into one message", (_name, wording) => {
    const [own, english] = [sentencesOf(wording), sentencesOf(eng)];
    expect(own.map(([name]) => name)).toEqual(english.map(([name]) => name));
    const untranslated = own.filter(([name, text], index) => {
      const isForEveryone = name === "transcript" || text === "Webale!";
      return !isForEveryone && (text.trim() === "" || text === english[index]?.[1]);
    });
    expect(untranslated).toEqual([]);
    for (const [, text] of own) expect(text.length).toBeLessThan(limits.text);
  });

  it.each([
    ["Luganda", lug],
    ["Swahili", swa],
  ])("in %s name every command that those in English name", (_name, wording) => {
    const commandsIn = (text: string) =>
      [...text.matchAll(/\*([a-z][a-z ]*:?|STOP|START|YES:?)(?: …)?\*/g)].map(([, name]) => name).toSorted();
    const english = Object.groupBy(sentencesOf(eng), ([name]) => name);
    for (const [name, texts] of Object.entries(Object.groupBy(sentencesOf(wording), ([each]) => each))) {
      const words = (all: typeof texts) => (all ?? []).flatMap(([, text]) => commandsIn(text)).toSorted();
      // It also has "on" or "off" in bold.
      if (name !== "voiceSettings") expect(words(texts), name).toEqual(words(english[name]));
    }
  });

  it("are those of the language that a person last wrote in or chose, or English", () => {
    const settings = { mode: "chat", language: "eng", voice: false } as const;
    expect(wordingFor({ settings })).toBe(eng);
    expect(wordingFor({ settings: { ...settings, language: "swa" } })).toBe(swa);
    expect(wordingFor({ settings: { ...settings, language: "swa" }, writes_in: "lug" })).toBe(lug);
    expect(wordingFor({ settings: { ...settings, language: "lug" }, writes_in: "ach" })).toBe(eng);
    expect([wordingIn("lug"), wordingIn("nyn"), wordingIn("constructor")]).toEqual([lug, eng, eng]);
  });
});

describe("What is stored about a person", () => {
  const none = { exchanges: 0, note: false, ratings: 0, translations: 0, records: 1, recording: true };
  it.each([
    [false, {}],
    [true, { exchanges: 1 }],
    [true, { ratings: 1 }],
    [true, { translations: 1 }],
    [true, { note: true }],
  ])("is offered as a file, %s, with %o", (isOffered, some) => {
    expect(hasMoreThan({ ...stored, stored: { ...none, ...some } })).toBe(isOffered);
  });
});
