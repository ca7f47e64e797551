import { AppError } from "../../../shared/errors/app-error.ts";
import type { ChatMessage } from "../../../shared/inference/chat.ts";
import { bareContext, fullContext } from "../conversation/chat-context.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { guardOutput } from "../text/guard-output.ts";
import type { AnswerDependencies } from "./planning.ts";

const model = "lang-14b";
const mostTokens = 1_024;

/** @throws AppError also for an answer that cannot be shown. */
const ask = async (
  messages: readonly ChatMessage[],
  { chat }: Pick<AnswerDependencies, "chat">,
  signal: AbortSignal,
): Promise<string> => {
  const { text } = await chat.answer(
    { model, messages, temperature: 0.6, topP: 0.95, maximumTokens: mostTokens, stop: undefined },
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
export const answerChat = async (
  message: string,
  name: string | undefined,
  conversation: Conversation,
  dependencies: Pick<AnswerDependencies, "chat">,
  signal: AbortSignal,
): Promise<string> => {
  try {
    return await ask(fullContext(conversation, message, name), dependencies, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    return ask(bareContext(message), dependencies, signal);
  }
};
