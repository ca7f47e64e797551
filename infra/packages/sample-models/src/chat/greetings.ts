import type { PhrasebookLanguage } from "../phrasebook/languages.ts";
import type { Phrase } from "../phrasebook/phrase.ts";
import { findPhrase, languagesOf, replyTo } from "../phrasebook/phrasebook.ts";
import { capitalise, splitClauses, splitSentences } from "../phrasebook/sentences.ts";
import { disclosure } from "./about-itself.ts";
import type { Skill } from "./conversation.ts";

/** The greetings and thanks at the start of a message, and what comes after them. */
export type OpenedMessage = {
  readonly language: PhrasebookLanguage | undefined;
  /** The phrases with which one replies to them. */
  readonly replies: readonly Phrase[];
  /** The rest of the message; empty when it was greetings only. */
  readonly rest: string;
};

/** Removes the greetings from a message: `Hello, how do you say tea in Luganda?` asks the part after the comma. */
export const takeGreetings = (message: string): OpenedMessage => {
  const clauses = splitSentences(message).flatMap(clausesWithEnds);
  const replies: Phrase[] = [];
  let language: PhrasebookLanguage | undefined;
  let position = 0;
  for (const clause of clauses) {
    const spoken: PhrasebookLanguage | undefined = language ?? languagesOf(clause.words)[0];
    const phrase = spoken && findPhrase(clause.words, spoken);
    const reply = phrase && replyTo(phrase);
    if (clause.words !== "" && !reply) break;
    if (reply) {
      replies.push(reply);
      language = spoken;
    }
    position += 1;
  }
  const rest = clauses.slice(position).map(({ before, words, after }) => before + words + after);
  return { language, replies, rest: rest.join("").trim() };
};

type PlacedClause = { readonly before: string; readonly words: string; readonly after: string };

const clausesWithEnds = (sentence: ReturnType<typeof splitSentences>[number]): PlacedClause[] => {
  const clauses = splitClauses(sentence.words);
  return clauses.map(({ words, separator }, position) => ({
    before: position === 0 ? sentence.opening : "",
    words,
    after: position === clauses.length - 1 ? sentence.closing + sentence.gap : separator,
  }));
};

/** Replies to a message of only greetings and thanks, in its own language. */
export const greetBack: Skill = ({ message }) => {
  const { language, replies, rest } = takeGreetings(message);
  if (language === undefined || rest !== "") return undefined;
  const spoken = replies.map((reply) => capitalise((reply[language] ?? reply.eng)[0]));
  const sentences = Array.from(new Set(spoken), (wording) =>
    wording.endsWith("?") ? wording : `${wording}.`,
  );
  return `${sentences.join(" ")} ${disclosure} You can ask me: How do you say "thank you" in Swahili?`;
};
