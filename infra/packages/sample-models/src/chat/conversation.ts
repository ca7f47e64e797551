import type { ChatMessage } from "./completion-request.ts";

/** What the replies of the sample server depend on: the messages as plain text. */
export type Conversation = {
  /** The user's message before the last one. */
  readonly earlier: string | undefined;
  /** The user's last message, trimmed; empty when the user wrote nothing. */
  readonly message: string;
  /** The results of the last called tools; empty when the user wrote after them. */
  readonly results: readonly string[];
};

/** Reads the messages of a request as a conversation. */
export const readConversation = (messages: readonly ChatMessage[]): Conversation => {
  const textsOf = (some: readonly ChatMessage[]) => some.map((message) => messageText(message).trim());
  const [message = "", earlier] = textsOf(messages.filter(({ role }) => role === "user")).reverse();
  const afterCalls = messages.findLastIndex(({ role }) => role !== "tool") + 1;
  return { earlier, message, results: textsOf(messages.slice(afterCalls)) };
};

/** The text of a message, its parts joined; empty for a message without content. */
export const messageText = ({ content }: ChatMessage): string => {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text).join("");
};

/**
 * Splits a text into the tokens of the sample server: words, each with the white space before it. The tokens
 * joined are the text again.
 */
export const tokenise = (text: string): string[] => text.match(/\s*\S+|\s+$/gu) ?? [];

/** How many tokens a text has. */
export const countTokens = (text: string): number => tokenise(text).length;
