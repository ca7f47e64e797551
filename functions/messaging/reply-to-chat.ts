import {
  type ChatMessage,
  type ChatModels,
  chatModelIds,
  defaultSystemMessage,
} from "../../shared/models/inference/chat.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { type Conversation, type ConversationExchange, recentExchanges } from "./conversation.ts";
import { guardOutput } from "./guard-output.ts";

const manner =
  "You are talking with a person in a messaging app: write plain text without headings and tables, and keep to a few " +
  "short paragraphs. When you do not know something, say so.";

/** The model gets the beginnings of older exchanges that are not part of the note yet. */
const hintedExchanges = 4;
const hintCharacters = 120;

const hint = (text: string): string => text.replace(/\s+/g, " ").slice(0, hintCharacters).toWellFormed();

const hintAt = ({ question, answer: reply }: ConversationExchange): string =>
  `They: ${hint(question)} / You: ${hint(reply)}`;

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

/** Returns a message with everything that the assistant remembers. */
export const fullContext = (
  conversation: Conversation,
  message: string,
  name: string | undefined,
): ChatMessage[] => [
  { role: "system", content: instructions(conversation, name) },
  ...conversation.exchanges.slice(-recentExchanges).flatMap(({ question, answer: reply }): ChatMessage[] => [
    { role: "user", content: question },
    { role: "assistant", content: reply },
  ]),
  { role: "user", content: message },
];

/** Returns the message alone, for a second attempt: the context may have made the first one fail. */
export const bareContext = (message: string): ChatMessage[] => [
  { role: "system", content: `${defaultSystemMessage}\n\n${manner}` },
  { role: "user", content: message },
];

const [model] = chatModelIds;
const maxTokens = 1_024;

/** @throws AppError, also for a reply that cannot be shown. */
const ask = async (
  messages: readonly ChatMessage[],
  chat: Pick<ChatModels, "reply">,
  signal: AbortSignal,
): Promise<string> => {
  const { text } = await chat.reply(
    { model, messages, temperature: 0.6, topP: 0.95, maxTokens: maxTokens, stop: undefined },
    { signal },
  );
  const shown = guardOutput(text);
  if (shown === undefined) {
    throw new AppError("external_service_error", { message: "The model's reply cannot be shown." });
  }
  return shown;
};

/**
 * Returns the model's reply to a message in the context of the conversation. If that fails, it calls the model again with the message alone:
 * the context may be too long, or mislead the model.
 *
 * @throws AppError when both attempts fail, or the signal's reason.
 */
export const replyToChat = async (
  message: string,
  name: string | undefined,
  conversation: Conversation,
  chat: Pick<ChatModels, "reply">,
  signal: AbortSignal,
): Promise<string> => {
  try {
    return await ask(fullContext(conversation, message, name), chat, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    return ask(bareContext(message), chat, signal);
  }
};
