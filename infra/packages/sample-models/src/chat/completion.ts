import { introduceItself, repeatQuestion } from "./about-itself.ts";
import type { CompletionRequest } from "./completion-request.ts";
import {
  type Conversation,
  countTokens,
  messageText,
  readConversation,
  type Skill,
  tokenise,
} from "./conversation.ts";
import { greetBack } from "./greetings.ts";
import { answerTranslationQuestion, followTranslationInstruction, showPhrase } from "./phrasebook-skills.ts";
import { recall } from "./recall.ts";
import { summarise } from "./summarise.ts";

/** Token counts of one answer, in words, under OpenAI's names. */
export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };

/** The answer to a request, before it takes the form of one object or of a stream. */
export type Completion = {
  readonly tokens: readonly string[];
  /** `length` when `max_tokens` cut the answer, `stop` otherwise. */
  readonly finishReason: "stop" | "length";
  readonly usage: Usage;
};

/** Answers a request. The same request always gets the same answer. */
export function complete(request: CompletionRequest): Completion {
  const wholeAnswer = tokenise(cutAtStop(answer(readConversation(request.messages)), request.stop));
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const tokens = wholeAnswer.slice(0, limit);
  const promptTokens = request.messages.reduce((sum, message) => sum + countTokens(messageText(message)), 0);
  return {
    tokens,
    finishReason: tokens.length < wholeAnswer.length ? "length" : "stop",
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: tokens.length,
      total_tokens: promptTokens + tokens.length,
    },
  };
}

/** The text up to the first of the stop strings, which is not part of the answer. */
function cutAtStop(text: string, stop: CompletionRequest["stop"]): string {
  const positions = [stop ?? []]
    .flat()
    .map((end) => text.indexOf(end))
    .filter((position) => position !== -1);
  return text.slice(0, Math.min(text.length, ...positions));
}

/** Asked in this order. The translation instruction is first: what it has to translate may look like any other. */
const skills: readonly Skill[] = [
  followTranslationInstruction,
  summarise,
  answerTranslationQuestion,
  recall,
  introduceItself,
  greetBack,
  showPhrase,
];

/** The answer of the sample server to a conversation; never empty. */
export function answer(conversation: Conversation): string {
  for (const skill of skills) {
    const text = skill(conversation);
    if (text !== undefined) return text;
  }
  return repeatQuestion(conversation);
}
