import { listLanguageNames } from "../../phrasebook/languages.ts";
import { type Conversation, describeEarlier } from "../conversation.ts";
import { connectHint, disclosure, quote } from "../disclosure.ts";

/** What is left when no skill has an answer: says so, and shows what arrived. */
export function repeatQuestion(conversation: Conversation): string {
  const { message, earlier } = conversation;
  if (message === "") return `There is no message from the user to answer. ${disclosure}`;
  const memory = earlier.length === 0 ? "" : ` ${describeEarlier(conversation)}`;
  return (
    `${disclosure} I cannot answer ${quote(message)}: I only know everyday phrases in ` +
    `${listLanguageNames()}.${memory} For real answers, ${connectHint}.`
  );
}
