import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { readWrong, readYes } from "./control-phrases.ts";
import type { Conversation } from "./conversation.ts";
import { type Plan, plan, replyWith, say } from "./plan.ts";
import { wordingFor } from "./wording.ts";

interface QuestionDependencies {
  readonly identifyLanguage: (text: string) => string | undefined;
}

/** Returns the plan for YES to the question whether we may store a translation. */
const storeTranslation = (
  reply: string,
  correction: string | undefined,
  conversation: Conversation,
  { identifyLanguage }: QuestionDependencies,
): Plan => {
  const wording = wordingFor(conversation);
  const found = conversation.exchanges.find(({ replies }) => replies.includes(reply));
  if (found?.translated_into === undefined) return replyWith(wording.feedbackGone);
  const sourceLanguage = identifyLanguage(found.question);
  return plan(say(wording.thanksForFeedback), {
    translation: {
      source: found.question,
      translation: found.answer,
      ...(sourceLanguage === undefined ? {} : { source_language: sourceLanguage }),
      target_language: found.translated_into,
      ...(correction === undefined ? {} : { correction }),
    },
  });
};

const replyToYes = (
  text: string,
  conversation: Conversation,
  dependencies: QuestionDependencies,
): Plan | undefined => {
  const { open_question: question } = conversation;
  const yes = question && readYes(text);
  if (!yes) return undefined;
  if (question.kind === "forget") {
    // Only the word alone, because this cannot be undone.
    return yes.text === undefined
      ? plan(say(wordingFor(conversation).forgotten), { forgets: true })
      : undefined;
  }
  if (question.kind === "heard") return undefined;
  return storeTranslation(question.reply, yes.text ?? question.correction, conversation, dependencies);
};

/** Asks whether we may store a translation that is wrong: the quoted one, or the last reply. Stores nothing yet. */
const replyToWrong = (
  text: string,
  { quoting }: InboundMessage,
  conversation: Conversation,
): Plan | undefined => {
  const wrong = readWrong(text);
  if (!wrong) return undefined;
  const { exchanges } = conversation;
  const found =
    quoting === undefined ? exchanges.at(-1) : exchanges.find(({ replies }) => replies.includes(quoting));
  const reply = found?.replies[0];
  if (found?.translated_into === undefined || reply === undefined) return undefined;
  const correction = wrong.text === undefined ? {} : { correction: wrong.text };
  return plan(say(wordingFor(conversation).feedbackQuestion), {
    open_question: { kind: "feedback", reply, ...correction },
  });
};

/** Replies to YES after a question of the assistant, and to "wrong" after a translation; `undefined` for all other texts. */
export const replyToQuestion = (
  text: string,
  message: InboundMessage,
  conversation: Conversation,
  dependencies: QuestionDependencies,
): Plan | undefined =>
  replyToYes(text, conversation, dependencies) ?? replyToWrong(text, message, conversation);
