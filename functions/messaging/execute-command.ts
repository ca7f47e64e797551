import type { Language } from "../../shared/platform/catalogue/languages.ts";
import { type Conversation, languageOf, type Mode } from "./conversation.ts";
import { languageChoices, languageList, modeList, voiceButtons } from "./menus.ts";
import { type Plan, plan, replyWith, say } from "./plan.ts";
import type { Command } from "./read-command.ts";
import { hasVoice, spoken } from "./voice-notes.ts";
import { wordingFor, wordingIn } from "./wording.ts";

/** A command that needs nothing but the conversation. */
export type SimpleCommand = Exclude<Command, { kind: "my-data" }>;

/** Changes the mode, with this reply. */
export const setMode = (mode: Mode, text: string, { settings }: Conversation): Plan =>
  plan(say(text), { settings: { ...settings, mode } });

/** Without a voice for the person's language, the setting takes effect when they change the language. */
const setVoice = (isOn: boolean, conversation: Conversation): Plan => {
  const { settings } = conversation;
  const { code, name } = languageOf(settings);
  const wording = wordingFor(conversation);
  const text = hasVoice(code) ? wording.voiceOn(name) : wording.noVoiceFor(name);
  return plan(say(isOn ? text : wording.voiceOff), { settings: { ...settings, voice: isOn } });
};

/** The reply is already in the chosen language. */
const setLanguage = ({ code, name }: Language, conversation: Conversation): Plan => {
  const { settings } = conversation;
  if (languageChoices.some((choice) => choice.code === code)) {
    const changes = { settings: { ...settings, language: code }, writes_in: code };
    return plan(say(wordingIn(code).languageSet(name)), changes);
  }
  const wording = wordingFor(conversation);
  return plan([say(wording.languageNotOffered(name)), languageList(languageOf(settings).name, wording)]);
};

/** The confirmation is the last message that the person gets. */
const stop = (language: string | undefined, conversation: Conversation): Plan =>
  plan(say((language === undefined ? wordingFor(conversation) : wordingIn(language)).stopped), {
    stopped: true,
    ...(language === undefined ? {} : { writes_in: language }),
  });

/** Executes a command without calling a model. */
export const executeCommand = (
  command: SimpleCommand,
  name: string | undefined,
  conversation: Conversation,
): Plan => {
  const { settings } = conversation;
  const language = languageOf(settings).name;
  const wording = wordingFor(conversation);
  switch (command.kind) {
    case "stop":
      return stop(command.language, conversation);
    case "forget":
      return plan(say(wording.forgetQuestion), { open_question: { kind: "forget" } });
    case "greet":
      return replyWith(wording.greeting(name?.split(/\s+/)[0], settings.language));
    case "menu":
      return replyWith(wording.menu(settings.mode));
    case "start-over":
      return setMode("chat", wording.menu("chat"), conversation);
    case "cancel":
      return setMode("chat", wording.cancelled, conversation);
    case "help":
      return replyWith(wording.help);
    case "status":
      return replyWith(wording.status(settings, language));
    case "languages":
      return replyWith(wording.languages(languageChoices));
    case "choose-language":
      return plan(languageList(language, wording));
    case "set-language":
      return setLanguage(command.language, conversation);
    case "choose-mode":
      return plan(modeList(settings.mode, wording));
    case "set-mode":
      return setMode(command.mode, wording.modeSet(command.mode, language), conversation);
    case "voice-settings":
      return plan(voiceButtons(settings.voice, wording));
    case "set-voice":
      return setVoice(command.isOn, conversation);
    case "speak":
      if (command.text === "") return replyWith(wording.whatToSay);
      return plan([say(command.text), spoken(command.text, settings, wording)]);
  }
};
