import { describe, expect, it } from "vitest";
import { readCommand } from "../../../functions/messaging/read-command.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";

const kinds: Readonly<Record<string, readonly string[]>> = {
  greet: [
    ...["hello", "Hi", "HEY", "hola", "greetings", "yo", "good morning", "Good afternoon!", "good evening"],
    ...[
      "habari",
      "Jambo!",
      "wasuze otya",
      "Wasuze otya nno?",
      "oli otya",
      "Oli otya, nno",
      "ssebo",
      "nyabo",
      "webale!",
    ],
  ],
  menu: ["menu", "start", "Main menu", "options", " menu. "],
  "start-over": ["start over", "restart", "reset", "start again"],
  cancel: ["cancel", "exit", "quit"],
  stop: ["stop", "STOP", " Stop. ", "stop all", "unsubscribe"],
  "my-data": ["my data", "My data"],
  forget: ["forget me", "FORGET ME"],
  help: ["help", "commands", "Help?"],
  status: ["status"],
  languages: ["languages", "language"],
  "choose-language": ["set language", "set  language please", "set language of my phone"],
  "choose-mode": ["mode", "modes", "switch mode", "change mode"],
  "voice-settings": ["voice", "voice settings", "audio settings", "tts settings", "audio replies"],
};

describe("a command", () => {
  it.each(Object.entries(kinds).flatMap(([kind, phrases]) => phrases.map((phrase) => [phrase, kind])))(
    "%j means %s",
    (phrase, kind) => {
      expect(readCommand(phrase, "chat")).toEqual({ kind });
    },
  );

  it.each([
    ["mode chat", "chat"],
    ["chat mode", "chat"],
    ["set mode chat", "chat"],
    ["mode translate", "translate"],
    ["Translate mode", "translate"],
    ["transcribe mode", "transcribe"],
    ["set mode transcribe", "transcribe"],
    ["mode tts", "speak"],
    ["tts mode", "speak"],
    ["speak mode", "speak"],
  ])("%j changes the mode to %s", (phrase, mode) => {
    expect(readCommand(phrase, "chat")).toEqual({ kind: "set-mode", mode });
  });

  it.each([
    ...["voice on", "audio on", "tts on", "audio replies on"].map((phrase) => [phrase, true] as const),
    ...["voice off", "audio off", "tts off", "audio replies off", "text only"].map(
      (phrase) => [phrase, false] as const,
    ),
  ])("%j turns voice replies on: %s", (phrase, isOn) => {
    expect(readCommand(phrase, "chat")).toEqual({ kind: "set-voice", isOn });
  });

  it.each([
    "hello, can you help me with maize?",
    "what is the status of my order",
    "stop the rain",
    "please forget me not",
    "my data bundle is used up",
    "I want to reset my password",
    "help me write a letter",
    "voice on the hill",
    "which languages do you speak",
    "language of the Baganda",
  ])("is not an ordinary sentence: %j", (sentence) => {
    expect(readCommand(sentence, "chat")).toBeUndefined();
  });
});

describe("in the modes in which a text is material", () => {
  const taught = [...`${wording.help}\n${wording.menu("translate")}`.matchAll(/\*([a-z][a-z ]*)\*/g)].map(
    ([, phrase = ""]) => phrase,
  );

  it.each(["translate", "speak"] as const)("what the menu and the help teach is a command: %s", (mode) => {
    expect(taught).toContain("set language");
    expect(taught.length).toBeGreaterThan(10);
    expect(taught.filter((phrase) => readCommand(phrase, mode) === undefined)).toEqual([]);
    expect(readCommand("Menu.", mode)).toEqual({ kind: "menu" });
    expect(readCommand("mode chat", mode)).toEqual({ kind: "set-mode", mode: "chat" });
    expect(readCommand("speak: Oli otya?", mode)).toEqual({ kind: "speak", text: "Oli otya?" });
    expect(readCommand("speak:", mode)).toEqual({ kind: "speak", text: "" });
  });

  it.each([
    ...(kinds["greet"] ?? []),
    ...["start", "options", "main menu", "restart", "reset", "cancel", "exit", "quit", "commands"],
    ...["language", "modes", "audio on", "text only", "set language barriers aside"],
  ])("nothing else is one in translate mode: %j", (phrase) => {
    expect(readCommand(phrase, "translate")).toBeUndefined();
  });

  it.each(kinds["greet"] ?? [])("a greeting is read aloud in speak mode: %j", (phrase) => {
    expect(readCommand(phrase, "speak")).toBeUndefined();
    expect(readCommand(phrase, "transcribe")).toEqual({ kind: "greet" });
  });

  it.each(["speak", "read", "speak good evening", "read aloud Webale", 'read "Webale"', "speak - Webale"])(
    "a request to read aloud has its colon in translate mode: %j",
    (phrase) => {
      expect(readCommand(phrase, "translate")).toBeUndefined();
      expect(readCommand(phrase, "speak")).toMatchObject({ kind: "speak" });
    },
  );
});

describe("a request to read aloud", () => {
  it.each([
    ["speak: Oli otya?", "Oli otya?"],
    ["Speak - Oli otya", "Oli otya"],
    ["read: Webale nnyo", "Webale nnyo"],
    ["Read this: Webale nnyo", "Webale nnyo"],
    ["voice: Webale", "Webale"],
    ["read aloud Webale nnyo", "Webale nnyo"],
    ["read this out loud: Webale", "Webale"],
    ['read "Webale nnyo"', "Webale nnyo"],
    ["speak “Webale nnyo”", "Webale nnyo"],
    ["speak Webale nnyo ssebo", "Webale nnyo ssebo"],
    ["speak good evening", "good evening"],
    ["Speak Oli otya?", "Oli otya?"],
    ["speak you are welcome", "you are welcome"],
    ["speak what is your name?", "what is your name?"],
    ["read good evening", "good evening"],
    ["Read Wasuze otya nno?", "Wasuze otya nno?"],
    ["read Webale nnyo\nssebo", "Webale nnyo\nssebo"],
    ["voice good evening", "good evening"],
    ["Voice Oli otya?", "Oli otya?"],
    ["convert Webale nnyo to speech", "Webale nnyo"],
    ["change good morning my friend into audio", "good morning my friend"],
    ["convert this to speech: Webale", "Webale"],
    ["speak:\nLine one\nLine two", "Line one\nLine two"],
  ])("%j is for the words %j", (message, text) => {
    expect(readCommand(message, "chat")).toEqual({ kind: "speak", text });
  });

  it.each(["speak", "Speak:", "read", "read aloud", "speak this"])("%j has still to say what", (message) => {
    expect(readCommand(message, "chat")).toEqual({ kind: "speak", text: "" });
  });

  it.each([
    "read me a story about a hare",
    "Read the instructions and tell me what to do",
    "reading is hard for my son",
    "read 5 chapters every week, is that good?",
    "voice notes do not work on my phone",
    "Voice of America is a radio station",
    "voice doesn't work",
    "voice message please",
    "read books every day",
    "read Genesis 1 and explain it to me",
    "read 2 pages",
    "speak good English",
    "speak Kiswahili with my mother",
    "speak Lusoga",
    "speak well of her",
    "speak my language",
    "speak?",
    "speak to a doctor about malaria?",
    "speak about the weather",
    "Speak English with me",
    "speak up please",
    "Speak slowly",
    "speak your mind",
    "speak Luganda",
    "can you speak Acholi?",
    "speaking of which, what is cassava",
    "convert 10 dollars to shillings",
    "change the subject",
    'read "Things Fall Apart" and summarise it',
  ])("does not swallow an ordinary sentence: %j", (sentence) => {
    expect(readCommand(sentence, "chat")).toBeUndefined();
  });

  it.each([
    [
      "read",
      "me us him her them to from about on in out up through over between for with and or the this that these those it is are was as only my your our his their a an some any all every each more less book books 5",
    ],
    [
      "voice",
      "note notes message messages of on off is are was does doesn't do don't did has and or to for from in at over with without not won't isn't can cannot can't will should could would please recording recordings recognition call calls mail actor actors acting assistant chat mode setting settings reply replies quality speed my your the this that",
    ],
    [
      "speak",
      "to with about on of for from in at up out as like and or is are was only more less slowly slower louder softly clearly freely fluently the this that it any me us him her them language languages",
    ],
  ])("takes %j for a word of a sentence before any of these: %s", (verb, words) => {
    const readAloud = words.split(" ").filter((word) => readCommand(`${verb} ${word} ndimu zange`, "chat"));
    expect(readAloud).toEqual([]);
  });

  it("comes to an end over a hostile text", () => {
    const hostile = [
      `change ${" to".repeat(30_000)}`,
      `speak${" ".repeat(100_000)}?`,
      `read ${'"'.repeat(100_000)}`,
      `convert ${" ".repeat(100_000)}`,
      `set mode${" ".repeat(100_000)}`,
    ];
    const modes = ["chat", "translate", "speak"] as const;
    for (const mode of modes)
      expect(hostile.map((text) => readCommand(text, mode))).toEqual(hostile.map(() => undefined));
  });
});
