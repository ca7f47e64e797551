import type { ChatMessage } from "../../../shared/inference/chat.ts";
import { defaultSystemMessage } from "../../../shared/inference/system-message.ts";
import { type Conversation, type Exchange, recentExchanges } from "./conversation.ts";

const manner =
  "You are talking with somebody in a messaging app: write plain text without headings and tables, and keep to a few " +
  "short paragraphs. When you do not know something, say so.";

/** Older exchanges that are not part of the note yet are hinted at. */
const hintedExchanges = 4;
const hintCharacters = 120;

const hint = (text: string): string => text.replace(/\s+/g, " ").slice(0, hintCharacters).toWellFormed();

const hintAt = ({ question, answer }: Exchange): string => `They: ${hint(question)} / You: ${hint(answer)}`;

/** What the model is told before the conversation itself. */
const instructions = ({ note, exchanges }: Conversation, name: string | undefined): string => {
  const older = exchanges.slice(0, -recentExchanges).slice(-hintedExchanges);
  return [
    defaultSystemMessage,
    manner,
    ...(name ? [`The person is called ${name}.`] : []),
    ...(note ? [`What you remember of earlier: ${note}`] : []),
    ...(older.length > 0 ? [`What was said a while ago:\n${older.map(hintAt).join("\n")}`] : []),
  ].join("\n\n");
};

/** A message with all that the assistant remembers: the note, hints at older exchanges, the last few word for word. */
export const fullContext = (
  conversation: Conversation,
  message: string,
  name: string | undefined,
): ChatMessage[] => [
  { role: "system", content: instructions(conversation, name) },
  ...conversation.exchanges.slice(-recentExchanges).flatMap(({ question, answer }): ChatMessage[] => [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ]),
  { role: "user", content: message },
];

/** The message alone: for a second try, when the first failed perhaps because of what came before. */
export const bareContext = (message: string): ChatMessage[] => [
  { role: "system", content: `${defaultSystemMessage}\n\n${manner}` },
  { role: "user", content: message },
];
