import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readStageCatalogue } from "../../infra/stage-catalogue.ts";
import { checkLocalVariables, deployedStage } from "../../infra/stages.ts";
import { languages, languagesWith } from "../../shared/platform/catalogue/languages.ts";
import type { StageVoices } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { synthesisLanguagesWith } from "../../shared/platform/catalogue/voices.ts";
import ownLanguages from "../fixtures/own-catalogue/languages.json" with { type: "json" };
import { runCommand } from "../support/run-service.ts";
import { withTemporaryDirectory } from "./synthesized-service.ts";

/** The lines of a file with one voice; a test replaces some of them. */
const voiceLines = [
  "{",
  '  "mode": "add",',
  '  "voices": [',
  "    {",
  '      "tag": "nakato",',
  '      "language": "lug",',
  '      "gender": "female",',
  '      "name": "Nakato",',
  '      "model_voice": "speaker-1"',
  "    }",
  "  ]",
  "}",
];

/** @param lines by their numbers, from 1. */
const voicesWith = (lines: Readonly<Record<number, string>>): string =>
  voiceLines.map((line, index) => lines[index + 1] ?? line).join("\n");

/** The message for the files of a stage. */
const problemWith = (files: Readonly<Record<string, string>>): Promise<string> =>
  withTemporaryDirectory(async (path) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
    try {
      readStageCatalogue({ path, name: "infra/stages/prod" });
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  });

describe("A stage's voices.json is refused", () => {
  it.each([
    ["without a mode", { 2: "" }, "1: mode must be add or replace."],
    ["with another mode", { 2: '  "mode": "append",' }, "2: mode must be add or replace."],
    [
      "with an unknown member",
      { 2: '  "mode": "add", "default": "nakato",' },
      '2: there is no member "default".',
    ],
    [
      "with an unknown member of a voice",
      { 8: '"name": "Nakato", "age": 30,' },
      '8: there is no member "age".',
    ],
    [
      "without a member of a voice",
      { 8: "" },
      "4: name must be a text of 1 to 100 characters, without spaces around it.",
    ],
    [
      "with a tag that has a space",
      { 5: '"tag": "na kato",' },
      "5: tag must be 1 to 64 letters, digits, dots, hyphens and underscores, and start with a letter or digit.",
    ],
    [
      "with a voice of OpenAI",
      { 5: '"tag": "alloy",' },
      "5: tag is a voice of OpenAI, which clients send when they mean no voice in particular.",
    ],
    [
      "with a tag of the specification",
      { 5: '"tag": "salt_lug_0001",' },
      '5: tag is taken: there is another voice "salt_lug_0001".',
    ],
    [
      "with a language that does not exist",
      { 6: '"language": "gof",' },
      '6: language is not in the catalogue; add "gof" to languages.json.',
    ],
    [
      "with a name instead of a code",
      { 6: '"language": "Luganda",' },
      "6: language must be a code of ISO 639-3: three lower-case letters, such as alz.",
    ],
    ["with another gender", { 7: '"gender": "f",' }, "7: gender must be one of female, male, neutral."],
    [
      "without a model's voice",
      { 9: '"model_voice": ""' },
      "9: model_voice must be a text of 1 to 200 characters, without spaces around it.",
    ],
    ["with a comma too many", { 9: '"model_voice": "speaker-1",' }, "10: the file is not JSON."],
    [
      "with a comma too many before a bracket",
      { 10: "},", 11: "", 12: "]}", 13: "" },
      "12: the file is not JSON.",
    ],
    ["when it ends too early", { 12: "" }, "11: the file is not JSON."],
    ["with a member twice", { 6: '"language": "lug", "tag": "wasswa",' }, '6: the member "tag" is repeated.'],
  ])("%s", async (_case, lines, problem) => {
    expect(await problemWith({ "voices.json": voicesWith(lines) })).toBe(
      `infra/stages/prod/voices.json:${problem}`,
    );
  });

  it("with one tag twice, and with every mistake at once", async () => {
    const twice = voicesWith({
      10: '}, { "tag": "nakato", "language": "zzz", "gender": "male", "name": "N", "model_voice": "n" }',
    });
    expect(await problemWith({ "voices.json": twice })).toBe(
      [
        'infra/stages/prod/voices.json:10: tag is taken: there is another voice "nakato".',
        'infra/stages/prod/voices.json:10: language is not in the catalogue; add "zzz" to languages.json.',
      ].join("\n"),
    );
  });

  it.each(["[]", "null", '"voices"', '{ "mode": "add", "voices": [] }', '{ "mode": "add", "voices": {} }'])(
    "when it is only %s",
    async (text) => {
      expect(await problemWith({ "voices.json": text })).toMatch(/^infra\/stages\/prod\/voices\.json:1: /);
    },
  );
});

describe("A stage's languages.json is refused", () => {
  const second = (line: string) =>
    `{\n  "transcription": [{ "code": "gof", "name": "Gofa" }],\n  "translation": [\n    ${line}\n  ]\n}`;

  it.each([
    [
      "a code of two letters",
      '{ "code": "go", "name": "Gofa" }',
      "code must be a code of ISO 639-3: three lower-case letters, such as alz.",
    ],
    [
      "a language that already has the task",
      '{ "code": "swa", "name": "Swahili" }',
      "code is already a language of translation: Swahili.",
    ],
    [
      "another code of a language",
      '{ "code": "plt", "name": "Plateau Malagasy" }',
      "code already means Malagasy, whose code is mlg.",
    ],
    [
      "another name of a language",
      '{ "code": "afr", "name": "Cape Dutch" }',
      "name must be Afrikaans, as in the catalogue.",
    ],
    [
      "the name of another language",
      '{ "code": "xaa", "name": "Luganda" }',
      "name already means the language lug.",
    ],
    [
      "a name of this file for another code",
      '{ "code": "xaa", "name": "gofa" }',
      "name already means the language gof of this file.",
    ],
    ["two names for one code", '{ "code": "gof", "name": "Goofa" }', "name must be the same in both lists."],
    [
      "one language twice",
      '{ "code": "xaa", "name": "Xa" }, { "code": "xaa", "name": "Xa" }',
      "code is repeated in translation.",
    ],
    ["an unknown member", '{ "code": "xaa", "name": "Xa", "aliases": [] }', 'there is no member "aliases".'],
    ["no name", '{ "code": "xaa" }', "name must be a text of 1 to 100 characters, without spaces around it."],
  ])("with %s", async (_case, line, problem) => {
    expect(await problemWith({ "languages.json": second(line) })).toBe(
      `infra/stages/prod/languages.json:4: ${problem}`,
    );
  });

  it("with a task that has no such list", async () => {
    expect(await problemWith({ "languages.json": '{\n\n  "speech": []\n}' })).toBe(
      'infra/stages/prod/languages.json:3: there is no member "speech".',
    );
  });
});

/** The file of a stage with one profile, whose lines a test replaces. */
const profileLines = [
  "{",
  '  "ours": {',
  '    "translation": {',
  '      "system": null,',
  '      "instruction": "<2{target_code}> {text}",',
  '      "language_codes": { "lug": "lg" }',
  "    },",
  '    "transcription": { "languages": ["lug"] }',
  "  }",
  "}",
];

const profilesWith = (lines: Readonly<Record<number, string>>): string =>
  profileLines.map((line, index) => lines[index + 1] ?? line).join("\n");

describe("A stage's profiles.json", () => {
  it("is read as it is written", () =>
    withTemporaryDirectory(async (path) => {
      await writeFile(join(path, "profiles.json"), profilesWith({}));
      expect(readStageCatalogue({ path, name: "infra/stages/prod" })).toEqual({
        profiles: JSON.parse(profilesWith({})),
      });
    }));

  it.each([
    ["with an unknown member", { 4: '"sistem": "Translate.",' }, '4: there is no member "sistem".'],
    ["with an unknown task", { 8: '"vision": {}' }, '8: there is no member "vision".'],
    [
      "with a map that names a language twice",
      { 6: '"language_codes": { "lug": "lg", "lug": "sd" }' },
      '6: the member "lug" is repeated.',
    ],
    [
      "with a map that names a language by another code",
      { 6: '"language_codes": {\n"lug": "lg",\n"lg": "sd" }' },
      "8: lg must be lug, the code of Luganda.",
    ],
    [
      "with a language that the catalogue does not have",
      { 8: '"transcription": {\n"languages": ["lug",\n"gof"] }' },
      "10: languages is not in the catalogue.",
    ],
    [
      "with a template without the text",
      { 5: '"instruction": "Translate to {target}.",' },
      "5: instruction must have {text}.",
    ],
    [
      "with a template that has an unknown placeholder",
      { 5: '"instruction": "{text} {txt}",' },
      "5: instruction has the unknown placeholder {txt}; there are {source}, {target}, {source_code}, {target_code}, {text}.",
    ],
    [
      "with a template that names the source, and none for texts without one",
      { 5: '"instruction": "{source} to {target}: {text}",' },
      "3: instruction_without_source must be given too, because instruction names the source.",
    ],
    [
      "with a source in a template for texts without one",
      { 5: '"instruction": "{text}", "instruction_without_source": "{source}: {text}",' },
      "5: instruction_without_source must not name the source.",
    ],
    [
      "with words for a server that takes none",
      { 4: '"dialect": "libretranslate",', 6: '"judged": true' },
      '5: there is no member "instruction".',
    ],
    ["with an unknown dialect", { 4: '"dialect": "deepl",' }, "4: dialect must be openai or libretranslate."],
    [
      "with an unknown way to name languages",
      { 6: '"language_codes": "bcp47"' },
      "6: language_codes must be iso639-1, iso639-3, names, or an object with the model's code of each language.",
    ],
    [
      "with a temperature of chat",
      { 8: '"chat": { "temperature": 1 }' },
      "8: temperature must be null, or missing: callers choose the temperature of chat.",
    ],
    [
      "with a parameter that no engine knows",
      { 8: '"chat": { "parameters": ["top_p"] }' },
      "8: parameters must be a list of chat_template_kwargs, enable_thinking, min_p, repetition_penalty, top_k.",
    ],
    [
      "with the name of a profile of the service",
      { 2: '"whisper-51": {' },
      "2: whisper-51 is a profile of the service, so choose another name.",
    ],
    [
      "with a comma too many",
      { 8: '"transcription": { "languages": ["lug",] }' },
      "8: the file is not JSON.",
    ],
  ])("is refused %s", async (_case, lines, problem) => {
    expect(await problemWith({ "profiles.json": profilesWith(lines) })).toBe(
      `infra/stages/prod/profiles.json:${problem}`,
    );
  });
});

describe("The catalogue of a stage", () => {
  const voice = (tag: string, language: string): StageVoices["voices"][number] => ({
    tag,
    language,
    gender: "female",
    name: tag,
    model_voice: tag,
  });

  it("keeps the specification's voices first when the stage adds voices", () => {
    const voices: StageVoices = { mode: "add", voices: [voice("nakato", "lug"), voice("abebe", "amh")] };
    const speaking = synthesisLanguagesWith({ voices });
    const lug = speaking.find(({ code }) => code === "lug")?.voices;
    expect([lug?.[0], lug?.at(-1)]).toEqual(["salt_lug_0001", "nakato"]);
    expect(speaking.find(({ code }) => code === "amh")).toEqual({
      code: "amh",
      name: "Amharic",
      voices: ["abebe"],
    });
    expect(speaking).toHaveLength(21);
  });

  it("has only the stage's voices when it replaces them", () => {
    const voices: StageVoices = { mode: "replace", voices: [voice("nakato", "lug")] };
    expect(synthesisLanguagesWith({ voices })).toEqual([
      { code: "lug", name: "Luganda", voices: ["nakato"] },
    ]);
  });

  it("has the specification's languages with those of the stage, and no task twice", () => {
    const own = languagesWith(ownLanguages);
    expect(own).toHaveLength(languages.length + 2);
    expect(own.find(({ code }) => code === "alz")?.tasks).toEqual(["translation", "transcription"]);
    for (const { tasks } of own) expect(new Set(tasks).size).toBe(tasks.length);
  });

  it("is the specification's without files", () => {
    expect(languagesWith(undefined)).toEqual(languages);
    expect(synthesisLanguagesWith({})).toHaveLength(20);
  });
});

describe("A wrong file of a stage", () => {
  it("keeps the stage from being synthesised", () =>
    withTemporaryDirectory(async (folder) => {
      const settings = { CHAT_BASE_URL: "https://models.example.org/v1", MAIL_FROM: "no-reply@example.org" };
      await writeFile(join(folder, "pilot.json"), JSON.stringify(settings));
      await mkdir(join(folder, "pilot"));
      const file = join(folder, "pilot", "voices.json");
      await writeFile(file, voicesWith({}));
      expect(deployedStage("pilot", {}, folder).catalogue.voices?.voices).toHaveLength(1);
      await writeFile(file, voicesWith({ 7: '"gender": "f",' }));
      expect(() => deployedStage("pilot", {}, folder)).toThrow(
        "infra/stages/pilot/voices.json:7: gender must be one of female, male, neutral.",
      );
    }));

  it("keeps the local service from starting, which names only the mistake", () =>
    withTemporaryDirectory(async (folder) => {
      await writeFile(join(folder, "voices.json"), voicesWith({ 6: '"language": "zzz",' }));
      const command = runCommand("infra/local/main.ts", [], {
        PORT: "0",
        DATA_DIR: join(folder, "data"),
        STAGE_DIR: folder,
      });
      expect(await command.ended).toBe(1);
      expect(command.output()).toBe(
        `${folder}/voices.json:6: language is not in the catalogue; add "zzz" to languages.json.\n`,
      );
    }));

  it("is also a folder that does not exist", () => {
    expect(() => checkLocalVariables({ STAGE_DIR: "/no/such/folder" })).toThrow(
      "STAGE_DIR: there is no folder /no/such/folder.",
    );
  });
});
