import { listLanguageNames } from "../../phrasebook/languages.ts";
import { connectHint, disclosure } from "../disclosure.ts";
import type { Skill } from "../skill.ts";

const asksLanguages =
  /\b(?:which|what) languages?\b|\blanguages (?:do|can) you\b|\bdo you (?:speak|know|understand)\b/iu;
const asksWho =
  /\b(?:who|what) are you\b|\bwhat(?: is|'s|’s) your name\b|\b(?:which|what) (?:language )?model\b|\bwhat can you do\b/iu;

/** Says what the server is and which languages it has phrases in. */
export const introduceItself: Skill = ({ message }) => {
  if (asksLanguages.test(message)) return `I have phrases in ${listLanguageNames()}. ${disclosure}`;
  if (!asksWho.test(message)) return undefined;
  return (
    `${disclosure} I translate everyday phrases between ${listLanguageNames()}, ` +
    `greet, and remember your name within a conversation. For more, ${connectHint}.`
  );
};
