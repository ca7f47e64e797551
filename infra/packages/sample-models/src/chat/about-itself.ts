import { listLanguageNames } from "../phrasebook/languages.ts";
import { type Conversation, describeEarlier, type Skill } from "./conversation.ts";

/** The sentence in every free reply that names the speaker. */
export const disclosure = "This is the sample server, not a language model.";

/** How to get real replies, as the end of a sentence. */
export const connectHint = "connect a real model";

/** A text as a short quotation: white space as single spaces, cut after this many characters. */
export const quote = (text: string, maxLength = 160): string => {
  const characters = Array.from(text.replace(/\s+/gu, " ").trim());
  const gist = characters.length <= maxLength ? characters : [...characters.slice(0, maxLength - 1), "…"];
  return `"${gist.join("")}"`;
};

const isAboutLanguages =
  /\b(?:which|what) languages?\b|\blanguages (?:do|can) you\b|\bdo you (?:speak|know|understand)\b/iu;
const isAboutIdentity =
  /\b(?:who|what) are you\b|\bwhat(?: is|'s|’s) your name\b|\b(?:which|what) (?:language )?model\b|\bwhat can you do\b/iu;

/** Says what the server is and which languages it has phrases in. */
export const introduceItself: Skill = ({ message }) => {
  if (isAboutLanguages.test(message)) return `I have phrases in ${listLanguageNames()}. ${disclosure}`;
  if (!isAboutIdentity.test(message)) return undefined;
  return (
    `${disclosure} I translate everyday phrases between ${listLanguageNames()}, ` +
    `greet, and remember your name within a conversation. For more, ${connectHint}.`
  );
};

/** The reply when no skill has one: says so, and shows what arrived. */
export const repeatQuestion = (conversation: Conversation): string => {
  const { message, earlier } = conversation;
  if (message === "") return `There is no message from the user to reply to. ${disclosure}`;
  const memory = earlier.length === 0 ? "" : ` ${describeEarlier(conversation)}`;
  return (
    `${disclosure} I have no reply to ${quote(message)}: I only know everyday phrases in ` +
    `${listLanguageNames()}.${memory} For real replies, ${connectHint}.`
  );
};
