import { cutText } from "./cut-text.ts";

/** Longer replies do not suit a phone. */
const maxCharacters = 3_500;

/** No useful reply is longer, and a runaway one must not cost time. */
const maxExamined = 20_000;

/** A model continues with the person's next message. */
const otherTurn = /<(?:\|im_start\||\|start_header_id\||start_of_turn)>\s*(?:user|system|human)\b[\s\S]*$/i;

/** Tokens of chat templates that people should not see: ChatML, Llama, Gemma, Mistral, DeepSeek. */
const templateTokens =
  /<[|｜][^<>|｜\n]{1,40}[|｜]>|<\/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn)>|\[\/?INST\]|<<\/?SYS>>/g;

/** A line that is only the name of a role. */
const roleLine = /^[ \t]*(?:assistant|user|system|model|human|bot)[ \t]*:?[ \t]*$/gim;

/** A role before the reply: `assistant: …`, or `assistantHello`. */
const leadingRole = /^\s*[Aa]ssistant(?:[ \t]*:[ \t]*|(?=\p{Lu}))/u;

/** Lines of dashes and similar characters are not loops. */
const decoration = /([-=_*~#.•─])\1{5,}/gu;

const repeatedCharacter = /(\S)\1{18,}/u;
const loopTurns = 6;
const maxLoopLength = 8;

/** Whether a group of up to eight words occurs six times in a row. */
const hasRepeatedWords = (words: readonly string[]): boolean => {
  for (let length = 1; length <= maxLoopLength; length += 1) {
    let matching = 0;
    for (let index = length; index < words.length; index += 1) {
      matching = words[index] === words[index - length] ? matching + 1 : 0;
      if (matching >= length * (loopTurns - 1)) return true;
    }
  }
  return false;
};

const shortWord = 6;
const enoughWords = 12;

/** Whether one short word is at least half of the text. */
const hasDominantWord = (words: readonly string[]): boolean => {
  if (words.length < enoughWords) return false;
  const counts = new Map<string, number>();
  for (const word of words) {
    if (word.length <= shortWord) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count * 2 >= words.length);
};

const isLooping = (text: string): boolean => {
  const words = text.toLowerCase().split(/\s+/);
  return repeatedCharacter.test(text) || hasRepeatedWords(words) || hasDominantWord(words);
};

/**
 * Returns the part of a model's reply that a person can see: without tokens of its chat template, and cut after a sentence when it
 * is too long. `undefined` when nothing remains, or the model repeats itself.
 */
export const guardOutput = (reply: string): string | undefined => {
  const text = reply
    .slice(0, maxExamined)
    .toWellFormed()
    .replace(otherTurn, "")
    .replace(templateTokens, "")
    .replace(roleLine, "")
    .replace(leadingRole, "")
    .replace(decoration, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(text) || isLooping(text)) return undefined;
  return cutText(text, maxCharacters);
};
