import type { Conversation } from "./conversation.ts";

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

/** Repeats what arrived: the results of tools, or the message and the one before it. */
export const echo = ({ message, earlier, results }: Conversation): string => {
  if (results.length > 0) {
    return `The ${results.length === 1 ? "tool" : "tools"} returned ${results.map((result) => quote(result)).join(" and ")}. ${disclosure}`;
  }
  if (message === "") return `There is no message from the user to reply to. ${disclosure}`;
  const before = earlier === undefined ? "" : ` and before that ${quote(earlier)}`;
  return `${disclosure} You wrote ${quote(message)}${before}. For real replies, ${connectHint}.`;
};
