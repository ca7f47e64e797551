import type { ChatMessage, ChatModels } from "../../shared/models/inference/chat.ts";
import { defaultSystemMessage } from "../../shared/models/inference/chat.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { type Conversation, type ConversationExchange, recentExchanges } from "./conversation.ts";
import { guardOutput } from "./guard-output.ts";

const manner =
  "You are talking with somebody in a messaging app: write plain text without headings and tables, and keep to a few " +
  "short paragraphs. When you do not know something, say so.";

/** Older exchanges that are not part of the note yet are hinted at. */
const hintedExchanges = 4;
const hintCharacters = 120;

const hint = (text: string): string => text.replace(/\s+/g, " ").slice(0, hintCharacters).toWellFormed();

const hintAt = ({ question, answer: reply }: ConversationExchange): string =>
  `They: ${hint(question)} / You: ${hint(reply)}`;

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
  ...conversation.exchanges.slice(-recentExchanges).flatMap(({ question, answer: reply }): ChatMessage[] => [
    { role: "user", content: question },
    { role: "assistant", content: reply },
  ]),
  { role: "user", content: message },
];

/** The message alone: for a second try, when the first failed perhaps because of what came before. */
export const bareContext = (message: string): ChatMessage[] => [
  { role: "system", content: `${defaultSystemMessage}\n\n${manner}` },
  { role: "user", content: message },
];

const model = "lang-14b";
const maxTokens = 1_024;

/** @throws AppError also for an answer that cannot be shown. */
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
    throw new AppError("external_service_error", { message: "The model's answer cannot be shown." });
  }
  return shown;
};

/**
 * The model's answer to a message, with what the assistant remembers; when that fails, once more with the message alone:
 * the context may be too long for the model, or have led it astray.
 *
 * @throws AppError when both tries failed, or the signal's reason.
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
