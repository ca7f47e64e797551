import { type Conversation, languageOf } from "./conversation.ts";
import { executeCommand, type SimpleCommand, setMode } from "./execute-command.ts";
import {
  findChoice,
  findRating,
  languageChoices,
  languageList,
  modeOfChoice,
  type TappedChoice,
} from "./menus.ts";
import { type Plan, plan, replyWith, say } from "./plan.ts";
import { wordingFor, wordings } from "./wording.ts";

/** Ratings are stored in English, also if the person read another language. */
const rate = (rating: NonNullable<ReturnType<typeof findRating>>, conversation: Conversation): Plan => {
  const { exchanges, settings } = conversation;
  const last = exchanges.at(-1);
  const reply = last?.replies[0];
  return plan(say(wordingFor(conversation).thanksForRating(settings.language)), {
    feedback: {
      kind: "rating",
      value: wordings.eng.menus.ratings[rating],
      ...(reply === undefined ? {} : { reply }),
      ...(last ? { exchange: { question: last.question, answer: last.answer } } : {}),
    },
  });
};

/** Replies to a tapped row or button, with thanks for an unknown one. */
export const replyToChoice = (tapped: TappedChoice, conversation: Conversation): Plan => {
  const execute = (command: SimpleCommand): Plan => executeCommand(command, undefined, conversation);
  const { settings } = conversation;
  const wording = wordingFor(conversation);
  const mode = modeOfChoice(tapped.id);
  if (mode) return execute({ kind: "set-mode", mode });
  switch (findChoice(tapped)) {
    case "voiceOn":
      return execute({ kind: "set-voice", isOn: true });
    case "voiceOff":
      return execute({ kind: "set-voice", isOn: false });
    case "help":
      return replyWith(wording.help);
    case "setLanguage":
      return plan(languageList(languageOf(settings).name, wording));
    case "startChatting":
      return setMode("chat", wording.startChatting, conversation);
  }
  const language = languageChoices.find(({ name }) => name === tapped.title);
  if (language) return execute({ kind: "set-language", language });
  const rating = findRating(tapped);
  return rating ? rate(rating, conversation) : replyWith(wording.thanks(settings.language));
};
