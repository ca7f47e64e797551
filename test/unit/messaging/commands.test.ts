import { describe, expect, it } from "vitest";
import { readCommand } from "../../../functions/messaging/read-command.ts";

const kinds: Readonly<Record<string, readonly string[]>> = {
  greet: [
    ...["hello", "Hi", "HEY", "hola", "greetings", "yo", "good morning", "Good afternoon!", "good evening"],
    ...["wasuze otya", "Wasuze otya nno?", "oli otya", "Oli otya, nno", "ssebo", "nyabo", "webale!"],
  ],
  menu: ["menu", "start", "Main menu", "options", " menu. "],
  "start-over": ["start over", "restart", "reset", "start again"],
  cancel: ["cancel", "stop", "exit", "quit"],
  help: ["help", "commands", "Help?"],
  status: ["status"],
  languages: ["languages", "language"],
  "choose-language": ["set language", "Set language luganda", "set  language please"],
  "choose-mode": ["mode", "modes", "switch mode", "change mode"],
  "voice-settings": ["voice", "voice settings", "audio settings", "tts settings", "audio replies"],
};

describe("a command", () => {
  it.each(Object.entries(kinds).flatMap(([kind, phrases]) => phrases.map((phrase) => [phrase, kind])))(
    "%j means %s",
    (phrase, kind) => {
      expect(readCommand(phrase)).toEqual({ kind });
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
    expect(readCommand(phrase)).toEqual({ kind: "set-mode", mode });
  });

  it.each([
    ...["voice on", "audio on", "tts on", "audio replies on"].map((phrase) => [phrase, true] as const),
    ...["voice off", "audio off", "tts off", "audio replies off", "text only"].map(
      (phrase) => [phrase, false] as const,
    ),
  ])("%j turns voice replies on: %s", (phrase, isOn) => {
    expect(readCommand(phrase)).toEqual({ kind: "set-voice", isOn });
  });

  it.each([
    "hello, can you help me with maize?",
    "what is the status of my order",
    "stop the rain",
    "I want to reset my password",
    "help me write a letter",
    "voice on the hill",
    "which languages do you speak",
    "language of the Baganda",
  ])("is not an ordinary sentence: %j", (sentence) => {
    expect(readCommand(sentence)).toBeUndefined();
  });
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
    ["convert Webale nnyo to speech", "Webale nnyo"],
    ["change good morning my friend into audio", "good morning my friend"],
    ["convert this to speech: Webale", "Webale"],
    ["speak:\nLine one\nLine two", "Line one\nLine two"],
  ])("%j is for the words %j", (message, text) => {
    expect(readCommand(message)).toEqual({ kind: "speak", text });
  });

  it.each(["speak", "Speak:", "read", "read aloud", "speak this"])("%j has still to say what", (message) => {
    expect(readCommand(message)).toEqual({ kind: "speak", text: "" });
  });

  it.each([
    "read me a story about a hare",
    "Read the instructions and tell me what to do",
    "reading is hard for my son",
    "read 5 chapters every week, is that good?",
    "voice notes do not work on my phone",
    "Voice of America is a radio station",
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
    expect(readCommand(sentence)).toBeUndefined();
  });

  it("comes to an end over a hostile text", () => {
    const hostile = [
      `change ${" to".repeat(30_000)}`,
      `speak${" ".repeat(100_000)}?`,
      `read ${'"'.repeat(100_000)}`,
      `convert ${" ".repeat(100_000)}`,
      `set mode${" ".repeat(100_000)}`,
    ];
    expect(hostile.map(readCommand)).toEqual(hostile.map(() => undefined));
  });
});
