import type { ChatMessage } from "./completion-request.ts";

/** What the skills of the sample server look at: the messages as plain text. */
export type Conversation = {
  /** All system messages, one after the other; empty when there is none. */
  readonly instructions: string;
  /** What the user wrote before the last message, oldest first. */
  readonly earlier: readonly string[];
  /** The user's last message, trimmed; empty when the user wrote nothing. */
  readonly message: string;
  /** The results of the last called tools; empty when the user wrote after them. */
  readonly results: readonly string[];
};

/** Reads the messages of a request as a conversation. */
export const readConversation = (messages: readonly ChatMessage[]): Conversation => {
  const textsOf = (...roles: ChatMessage["role"][]) =>
    messages.filter(({ role }) => roles.includes(role)).map((message) => messageText(message).trim());
  const fromUser = textsOf("user");
  return {
    instructions: textsOf("system", "developer").join("\n"),
    earlier: fromUser.slice(0, -1),
    message: fromUser.at(-1) ?? "",
    results: messages
      .slice(messages.findLastIndex(({ role }) => role !== "tool") + 1)
      .map((message) => messageText(message).trim()),
  };
};

/** The text of a message, its parts joined; empty for a message without content. */
export const messageText = ({ content }: ChatMessage): string => {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text).join("");
};

/** How much the user wrote before the last message, as a sentence. */
export const describeEarlier = ({ earlier }: Conversation): string => {
  if (earlier.length === 0) return "This is the first message of our conversation.";
  const words = earlier.reduce((sum, text) => sum + countTokens(text), 0);
  return `Before this you wrote ${plural(earlier.length, "message")} with ${plural(words, "word")}.`;
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Splits a text into the tokens of the sample server: words, each with the white space before it. The tokens
 * joined are the text again.
 */
export const tokenise = (text: string): string[] => text.match(/\s*\S+|\s+$/gu) ?? [];

/** How many tokens a text has. */
export const countTokens = (text: string): number => tokenise(text).length;

/** One skill of the sample server: returns the reply, or undefined when the conversation needs another. */
export type Skill = (conversation: Conversation) => string | undefined;
