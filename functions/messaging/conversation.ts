import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { pace } from "./pace.ts";

/** What the assistant does with what it is sent. */
export const modes = ["chat", "translate", "transcribe", "speak"] as const;
export type Mode = (typeof modes)[number];

/** What a person has chosen. */
export const settings = z.object({
  mode: z.enum(modes),
  /** ISO 639-3: into which texts are translated, and in which voice notes are heard and voice replies spoken. */
  language: z.string(),
  /** Whether answers also come as voice notes. */
  voice: z.boolean(),
});
export type Settings = z.infer<typeof settings>;

/** What everybody starts with. */
export const initialSettings: Settings = { mode: "chat", language: "eng", voice: false };

/** The person's language, with its name; English for a code that is no longer in the catalogue. */
export const languageOf = ({ language }: Settings): Pick<Language, "code" | "name"> =>
  findLanguage(language, "translation") ?? { code: "eng", name: "English" };

/** What somebody said, what they were answered, and the platform's ids of the messages that carried the answer. */
export const exchange = z.object({
  question: z.string(),
  answer: z.string(),
  replies: z.array(z.string()),
});
export type ConversationExchange = z.infer<typeof exchange>;

/** A recording that is transcribed while nobody waits. */
export const longRecording = z.object({
  job_id: z.string(),
  /** Unix seconds. When its transcript has not come by then, it never will. */
  until: z.int(),
});

/** Everything the assistant remembers of a person. */
export const conversation = z.object({
  settings,
  /** Oldest first. The last few go to the model as they are, those before them wait to become part of the note. */
  exchanges: z.array(exchange),
  /** What was said before the exchanges, in a few sentences; empty as long as there is nothing to tell. */
  note: z.string(),
  /** Conversations that were last written before there was a limit do not have it. */
  pace: pace.optional(),
  /** A recording of theirs that is being transcribed as a job: there is one at a time. */
  long_recording: longRecording.optional(),
});
export type Conversation = z.infer<typeof conversation>;

/** Exchanges that go to the model word for word. */
export const recentExchanges = 5;

/** Exchanges before those that are kept until they are part of the note. */
export const maxOlderExchanges = 12;

/** Longer texts are remembered by their beginning; DynamoDB charges by the kilobyte. */
const rememberedCharacters = 2_000;

const remembered = (text: string): string => text.slice(0, rememberedCharacters).toWellFormed();

/** The conversation with one more exchange; what is too old for the model and for the note falls out. */
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

/** How long what somebody wrote is remembered after their last message, in seconds. */
export const rememberedSeconds = 90 * 24 * 60 * 60;

/** Conversations from before they ended have no such time. */
const storedConversation = conversation.extend({ expires_at: z.int().optional() });

/** Conversations in the table; they are written together with the record of the message that changed them. */
export interface ConversationsRepository {
  /** `undefined` for somebody who has never been answered, or has not written for {@link rememberedSeconds}. */
  find(sender: string): Promise<Conversation | undefined>;
}

/** The repository of conversations; access pattern M1 of the README in `shared/messaging`. */
export const createConversationsRepository = ({
  client,
  name: TableName,
}: Table): ConversationsRepository => ({
  find: async (sender) => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: messagingKeys.conversation(sender), ConsistentRead: true }),
    );
    if (!Item) return undefined;
    const { expires_at: expiry, ...found } = storedConversation.parse(Item);
    // The table takes days to remove what has expired.
    return expiry !== undefined && expiry * 1_000 <= Date.now() ? undefined : found;
  },
});
