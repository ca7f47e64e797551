import type { Language } from "../../shared/platform/catalogue/languages.ts";
import { type Conversation, languageOf } from "./conversation.ts";
import { languageChoices, languageList, modeList, voiceButtons } from "./menus.ts";
import { type Plan, plan, replyWith, say } from "./plan.ts";
import type { Command } from "./read-command.ts";
import { hasVoice, spoken } from "./voice-notes.ts";
import { wording } from "./wording.ts";

const setVoice = (isOn: boolean, { settings }: Conversation): Plan => {
  const { code, name } = languageOf(settings);
  if (!isOn) return plan(say(wording.voiceOff), { settings: { ...settings, voice: false } });
  // The choice holds for when the person changes to a language with a voice.
  return plan(say(hasVoice(code) ? wording.voiceOn(name) : wording.noVoiceFor(name)), {
    settings: { ...settings, voice: true },
  });
};

const setLanguage = ({ code, name }: Language, { settings }: Conversation): Plan =>
  languageChoices.some((choice) => choice.code === code)
    ? plan(say(wording.languageSet(name)), { settings: { ...settings, language: code } })
    : plan([say(wording.languageNotOffered(name)), languageList(languageOf(settings).name)]);

/** Does what a command says. No model is asked. */
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
      return plan(say(wording.menu("chat")), { settings: { ...settings, mode: "chat" } });
    case "cancel":
      return plan(say(wording.cancelled), { settings: { ...settings, mode: "chat" } });
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
      return plan(say(wording.modeSet(command.mode, language)), {
        settings: { ...settings, mode: command.mode },
      });
    case "voice-settings":
      return plan(voiceButtons(settings.voice));
    case "set-voice":
      return setVoice(command.isOn, conversation);
    case "speak":
      return command.text === ""
        ? replyWith(wording.whatToSay)
        : plan([say(command.text), spoken(command.text, settings)]);
  }
};
