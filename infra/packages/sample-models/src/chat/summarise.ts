import { splitSentences } from "../phrasebook/sentences.ts";
import type { Skill } from "./conversation.ts";

const summaryRequest = /^(?:please |can you |could you )?summari[sz]e\b/iu;

/**
 * Only an order at the start of a sentence: a system message that describes an assistant (`You translate, explain and
 * summarise`) must not turn every reply into a summary.
 */
const summaryInstruction = /(?:^|[.!?\n])[ \t]*(?:please |your task is to )?summari[sz]e\b/iu;

/** A summary as far as it goes without a model: the first third of the sentences, three at most, and says so. */
export const summarise: Skill = ({ instructions, message }) => {
  const text = textToSummarise(instructions, message);
  if (text === undefined) return undefined;
  if (text === "") return "The sample server summarises a text that follows a colon: Summarise: …";
  const sentences = splitSentences(text);
  const taken = sentences.slice(0, Math.min(3, Math.ceil(sentences.length / 3)));
  const start = taken.map(({ opening, words, closing, gap }) => opening + words + closing + gap).join("");
  return `${start.trim()} [sample server: the first sentences of the text, not a summary by a model]`;
};

const textToSummarise = (instructions: string, message: string): string | undefined => {
  if (summaryRequest.test(message)) {
    // The instruction ends at its first colon or line end; later colons belong to the text.
    const end = message.search(/[:\n]/u);
    return end === -1 ? "" : message.slice(end + 1).trim();
  }
  return summaryInstruction.test(instructions) && message !== "" ? message : undefined;
};
