import type { Conversation } from "./conversation.ts";
import type { Skill } from "./skill.ts";
import { answerTranslationQuestion } from "./skills/answer-translation-question.ts";
import { followTranslationInstruction } from "./skills/follow-translation-instruction.ts";
import { greetBack } from "./skills/greet-back.ts";
import { introduceItself } from "./skills/introduce-itself.ts";
import { recall } from "./skills/recall.ts";
import { repeatQuestion } from "./skills/repeat-question.ts";
import { showPhrase } from "./skills/show-phrase.ts";
import { summarise } from "./skills/summarise.ts";

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
