import type { Language } from "../../shared/platform/catalogue/languages.ts";
import { type Conversation, languageOf, type Mode } from "./conversation.ts";
import { languageChoices, languageList, modeList, voiceButtons } from "./menus.ts";
import { type Plan, plan, replyWith, say } from "./plan.ts";
import type { Command } from "./read-command.ts";
import { hasVoice, spoken } from "./voice-notes.ts";
import { wording } from "./wording.ts";

/** Changes the mode, with this reply. */
export const setMode = (mode: Mode, text: string, { settings }: Conversation): Plan =>
  plan(say(text), { settings: { ...settings, mode } });

/** Without a voice for the person's language, the setting takes effect when they change the language. */
const setVoice = (isOn: boolean, { settings }: Conversation): Plan => {
  const { code, name } = languageOf(settings);
  const text = hasVoice(code) ? wording.voiceOn(name) : wording.noVoiceFor(name);
  return plan(say(isOn ? text : wording.voiceOff), { settings: { ...settings, voice: isOn } });
};

const setLanguage = ({ code, name }: Language, { settings }: Conversation): Plan =>
  languageChoices.some((choice) => choice.code === code)
    ? plan(say(wording.languageSet(name)), { settings: { ...settings, language: code } })
    : plan([say(wording.languageNotOffered(name)), languageList(languageOf(settings).name)]);

/** Executes a command without calling a model. */
export const executeCommand = (
  command: Command,
  name: string | undefined,
  conversation: Conversation,
): Plan => {
  const { settings } = conversation;
  const language = languageOf(settings).name;
  switch (command.kind) {
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
      return plan(languageList(language));
    case "set-language":
      return setLanguage(command.language, conversation);
    case "choose-mode":
      return plan(modeList(settings.mode));
    case "set-mode":
      return setMode(command.mode, wording.modeSet(command.mode, language), conversation);
    case "voice-settings":
      return plan(voiceButtons(settings.voice));
    case "set-voice":
      return setVoice(command.isOn, conversation);
    case "speak":
      if (command.text === "") return replyWith(wording.whatToSay);
      return plan([say(command.text), spoken(command.text, settings)]);
  }
};
