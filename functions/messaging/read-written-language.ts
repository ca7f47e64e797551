import type { MessageContent } from "../../shared/messaging/inbound-message.ts";
import { greetingLanguage, readWrong, readYes } from "./control-phrases.ts";
import type { Conversation } from "./conversation.ts";
import { readCommand } from "./read-command.ts";

/** The model is often wrong about a single word, which can be a name. */
const minWords = 2;

/**
 * Returns the language in which a person wrote a message, ISO 639-3; `undefined` when it is unsure. People of all
 * languages write commands in English, so they say nothing.
 */
export const readWrittenLanguage = (
  content: MessageContent,
  { settings }: Conversation,
  { identifyLanguage }: { readonly identifyLanguage: (text: string) => string | undefined },
): string | undefined => {
  // The right translation after "wrong:" or "YES:" is in the language of the translation.
  if (content.type !== "text" || readWrong(content.text) || readYes(content.text)) return undefined;
  const command = readCommand(content.text, settings.mode);
  if (command) return command.kind === "greet" ? greetingLanguage(content.text) : undefined;
  return content.text.trim().split(/\s+/).length < minWords ? undefined : identifyLanguage(content.text);
};
