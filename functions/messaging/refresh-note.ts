import { type ChatModels, chatModelIds } from "../../shared/models/inference/chat.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { type Conversation, recentExchanges } from "./conversation.ts";
import { cutText } from "./cut-text.ts";
import { guardOutput } from "./guard-output.ts";

/** Exchanges that become part of the note together: one call to the model for six messages. */
const exchangesTogether = 6;
const maxNoteCharacters = 800;
const maxTokens = 300;
const milliseconds = 30_000;

const instruction =
  "You keep the memory of an assistant. Write a note of at most 120 words about the person and the conversation: names, " +
  "locations, languages, wishes, what was decided. Facts only, no advice, no greeting. Answer with the note alone.";

const transcriptOf = ({ note, exchanges }: Conversation, older: number): string =>
  [
    ...(note ? [`The note so far: ${note}`] : []),
    ...exchanges
      .slice(0, older)
      .map(({ question, answer: reply }) => `Person: ${question}\nAssistant: ${reply}`),
  ].join("\n\n");

/**
 * Summarises older exchanges in the note, when there are enough of them. Called after the reply has been sent.
 *
 * @returns the conversation with the new note and without the summarised exchanges; unchanged when there are too few, or the model
 * fails, so the next message tries again.
 */
export const refreshNote = async (
  conversation: Conversation,
  chat: Pick<ChatModels, "reply">,
  signal: AbortSignal,
): Promise<Conversation> => {
  const older = conversation.exchanges.length - recentExchanges;
  if (older < exchangesTogether || signal.aborted) return conversation;
  try {
    const { text } = await chat.reply(
      {
        model: chatModelIds[0],
        messages: [
          { role: "system", content: instruction },
          { role: "user", content: transcriptOf(conversation, older) },
        ],
        temperature: 0.2,
        topP: undefined,
        maxTokens: maxTokens,
        stop: undefined,
      },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]) },
    );
    const note = guardOutput(text);
    if (note === undefined) return conversation;
    return {
      ...conversation,
      note: cutText(note, maxNoteCharacters),
      exchanges: conversation.exchanges.slice(-recentExchanges),
    };
  } catch (error) {
    logger.warn("note.not_refreshed", { reason: describeError(error) });
    return conversation;
  }
};
