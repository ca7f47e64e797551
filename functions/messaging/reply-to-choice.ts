import { type Conversation, languageOf } from "./conversation.ts";
import { executeCommand, setMode } from "./execute-command.ts";
import { choices, languageChoices, languageList, modeOfChoice, ratings } from "./menus.ts";
import { type Plan, plan, replyWith, say } from "./plan.ts";
import type { Command } from "./read-command.ts";
import { wording } from "./wording.ts";

/** A tapped row or button. Phones can still show menus of earlier versions, so the title may match as well as the id. */
export interface Choice {
  readonly id: string;
  readonly title: string;
}

const rate = (value: string, { exchanges, settings }: Conversation): Plan => {
  const last = exchanges.at(-1);
  const reply = last?.replies[0];
  return plan(say(wording.thanksForRating(settings.language)), {
    feedback: {
      kind: "rating",
      value,
      ...(reply === undefined ? {} : { reply }),
      ...(last ? { exchange: { question: last.question, answer: last.answer } } : {}),
    },
  });
};

/** Replies to a tapped row or button, with thanks for an unknown one. */
export const replyToChoice = ({ id, title }: Choice, conversation: Conversation): Plan => {
  const isChosen = (choice: Choice): boolean => choice.id === id || choice.title === title;
  const execute = (command: Command): Plan => executeCommand(command, undefined, conversation);

  const { settings } = conversation;
  const mode = modeOfChoice(id);
  if (mode) return execute({ kind: "set-mode", mode });
  if (isChosen(choices.voiceOn)) return execute({ kind: "set-voice", isOn: true });
  if (isChosen(choices.voiceOff)) return execute({ kind: "set-voice", isOn: false });
  if (isChosen(choices.help)) return replyWith(wording.help);
  if (isChosen(choices.setLanguage)) return plan(languageList(languageOf(settings).name));
  if (isChosen(choices.startChatting)) return setMode("chat", wording.startChatting, conversation);
  const language = languageChoices.find(({ name }) => name === title);
  if (language) return execute({ kind: "set-language", language });
  const rating = ratings.find((known) => known === title);
  return rating ? rate(rating, conversation) : replyWith(wording.thanks(settings.language));
};
