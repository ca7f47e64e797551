import { disclosure, quote } from "./about-itself.ts";
import { describeEarlier, type Skill } from "./conversation.ts";

const namePart = "\\p{L}[\\p{L}\\p{M}'’-]{0,40}";
/** One name, and further ones as long as they have a capital: `my name is Amina Nakato and I …`. */
const givenName = new RegExp(
  `(?:[Mm]y name is|[Cc]all me|I am called) (?<name>${namePart}(?: \\p{Lu}[\\p{L}\\p{M}'’-]{0,40}){0,3})`,
  "u",
);
const isAboutName = /\b(?:what(?: is|'s|’s) my name|who am i|(?:do you )?remember my name)\b/iu;
const isAboutLength = /\bhow many (?:words|messages)\b/iu;
const isAboutEarlier = /\bwhat did i (?:just )?(?:say|ask|write|tell)\b/iu;

/** Shows that earlier turns of the conversation arrive: names, counts, the message before. */
export const recall: Skill = (conversation) => {
  const { message, earlier } = conversation;
  if (isAboutName.test(message)) {
    const name = lastName(earlier);
    return name === undefined
      ? `You have not mentioned your name in this conversation. ${disclosure}`
      : `Your name is ${name}. ${disclosure}`;
  }
  if (isAboutLength.test(message)) return `${describeEarlier(conversation)} ${disclosure}`;
  if (isAboutEarlier.test(message)) {
    const before = earlier.at(-1);
    return before === undefined
      ? `${describeEarlier(conversation)} ${disclosure}`
      : `Before this you wrote ${quote(before)}. ${disclosure}`;
  }
  const name = lastName([message]);
  return name === undefined ? undefined : `Pleased to meet you, ${name}. ${disclosure}`;
};

const lastName = (messages: readonly string[]): string | undefined =>
  messages.map((text) => givenName.exec(text)?.groups?.["name"]).findLast((name) => name !== undefined);
