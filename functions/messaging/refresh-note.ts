import type { ChatModels } from "../../shared/models/inference/chat.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { type Conversation, recentExchanges } from "./conversation.ts";
import { cutText } from "./cut-text.ts";
import { guardOutput } from "./guard-output.ts";

/** So many exchanges become part of the note at once: one call to the model for six messages. */
const exchangesTogether = 6;
const maxNoteCharacters = 800;
const maxTokens = 300;
const milliseconds = 30_000;

const instruction =
  "You keep the memory of an assistant. Write a note of at most 120 words about the person and the conversation: names, " +
  "places, languages, wishes, what was decided. Facts only, no advice, no greeting. Answer with the note alone.";

const transcriptOf = ({ note, exchanges }: Conversation, older: number): string =>
  [
    ...(note ? [`The note so far: ${note}`] : []),
    ...exchanges
      .slice(0, older)
      .map(({ question, answer: reply }) => `Person: ${question}\nAssistant: ${reply}`),
  ].join("\n\n");

/**
 * Turns older exchanges into a note, when enough of them have gathered. It is called after the answer has been sent.
 *
 * @returns the conversation with its note made anew and without the exchanges that are in it; as it was when it is not
 * time yet, or the model does not answer: the exchanges wait for the next time then.
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
        model: "lang-14b",
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
