import * as z from "zod";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { pace } from "./pace.ts";

/** What the assistant does with texts and voice notes. */
export const modes = ["chat", "translate", "transcribe", "speak"] as const;
export type Mode = (typeof modes)[number];

export const settings = z.object({
  mode: z.enum(modes),
  /** ISO 639-3: the language of translations, voice notes and voice replies. */
  language: z.string(),
  /** Whether replies also come as voice notes. */
  voice: z.boolean(),
});
export type Settings = z.infer<typeof settings>;

export const initialSettings: Settings = { mode: "chat", language: "eng", voice: false };

/** Returns the person's language; English for a code that is no longer in the catalogue. */
export const languageOf = ({ language }: Settings): Pick<Language, "code" | "name"> =>
  findLanguage(language, "translation") ?? { code: "eng", name: "English" };

/** What a person wrote, our reply, and the platform's ids of the messages that contained it. */
export const exchange = z.object({
  question: z.string(),
  answer: z.string(),
  replies: z.array(z.string()),
});
export type ConversationExchange = z.infer<typeof exchange>;

/** A recording that a job transcribes. */
export const longRecording = z.object({
  job_id: z.string(),
  /** Unix seconds. A transcript that has not arrived by then never will. */
  until: z.int(),
});

export const conversation = z.object({
  settings,
  /** Oldest first. The model gets the last few word for word; the older ones will become part of the note. */
  exchanges: z.array(exchange),
  /** A summary of what was said before the exchanges; may be empty. */
  note: z.string(),
  /** Absent in conversations that were last written before there was a limit. */
  pace: pace.optional(),
  /** The person's recording that a job is transcribing. There is one at a time. */
  long_recording: longRecording.optional(),
});
export type Conversation = z.infer<typeof conversation>;

/** Exchanges that the model gets word for word. */
export const recentExchanges = 5;

/** Older exchanges that are stored until they become part of the note. */
export const maxOlderExchanges = 12;

/** Longer texts are cut, because DynamoDB charges by the kilobyte. */
const rememberedCharacters = 2_000;

const remembered = (text: string): string => text.slice(0, rememberedCharacters).toWellFormed();

/** Adds an exchange to a conversation, and drops the oldest one when there are too many. */
export const withExchange = (
  before: Conversation,
  { question, answer: reply, replies }: ConversationExchange,
): Conversation => {
  const exchanges = [
    ...before.exchanges,
    { question: remembered(question), answer: remembered(reply), replies },
  ];
  return { ...before, exchanges: exchanges.slice(-(recentExchanges + maxOlderExchanges)) };
};

/** How long a conversation is stored after the last message, in seconds. */
export const rememberedSeconds = 90 * daySeconds;

/** Old conversations have no expiry. */
const storedConversation = conversation.extend({ expires_at: z.int().optional() });

/** Conversations in the table. Writes are part of finishing a message, see `message-records.ts`. */
export type ConversationsRepository = ReturnType<typeof createConversationsRepository>;

/** Creates the repository of conversations; access pattern M1 of the README in `shared/messaging`. */
export const createConversationsRepository = (table: Table) => ({
  /** Returns `undefined` for a new person, or one who has not written for {@link rememberedSeconds}. */
  find: async (sender: string): Promise<Conversation | undefined> => {
    const item = await table.read({ Key: messagingKeys.conversation(sender) });
    if (!item) return undefined;
    const { expires_at: expiry, ...found } = storedConversation.parse(item);
    // The table takes days to delete expired items.
    return expiry !== undefined && expiry * 1_000 <= Date.now() ? undefined : found;
  },
});
