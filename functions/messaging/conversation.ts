import * as z from "zod";
import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { Item } from "../../shared/platform/storage/table.ts";
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
  /** The language that the assistant translated into, ISO 639-3; absent unless the reply is a translation. */
  translated_into: z.string().optional(),
});
export type ConversationExchange = z.infer<typeof exchange>;

/** A recording that a job transcribes. */
export const longRecording = z.object({
  job_id: z.string(),
  /** Unix seconds. A transcript that has not arrived by then never will. */
  until: z.int(),
});

/** A transcript that is ready, but came after the platform's window for it had closed. */
export const waitingResult = z.object({ job_id: z.string(), voice_note_id: z.string() });

/** Which version of what we store was said to the person, and when. */
export const consent = z.object({ version: z.string(), at: z.string() });

/** A question of the assistant that the next message can reply to with YES. */
export const openQuestion = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("forget") }),
  /** Whether we may store the translation in this reply. */
  z.object({ kind: z.literal("feedback"), reply: z.string(), correction: z.string().optional() }),
  /** Whether this is what a voice note says. */
  z.object({ kind: z.literal("heard"), text: z.string() }),
]);

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
  /** The person's other identifiers, as far as we know them: phone numbers and user ids. */
  phones: z.array(z.string()).optional(),
  /** The language that the person last wrote in or chose, ISO 639-3: the one of the assistant's own words. */
  writes_in: z.string().optional(),
  consent: consent.optional(),
  /** When the person last wrote, in Unix seconds, by the platform's clock. */
  last_message_at: z.int().optional(),
  open_question: openQuestion.optional(),
  waiting_result: waitingResult.optional(),
});
export type Conversation = z.infer<typeof conversation>;

/** Exchanges that the model gets word for word. */
export const recentExchanges = 5;

/** Older exchanges that are stored until they become part of the note. */
export const maxOlderExchanges = 12;

export const maxExchanges = recentExchanges + maxOlderExchanges;

/** Longer texts are cut, because DynamoDB charges by the kilobyte. */
const rememberedCharacters = 2_000;

const remembered = (text: string): string => text.slice(0, rememberedCharacters).toWellFormed();

/** Adds an exchange to a conversation, and drops the oldest one when there are too many. */
export const withExchange = (
  before: Conversation,
  { question, answer: reply, ...others }: ConversationExchange,
): Conversation => {
  const exchanges = [
    ...before.exchanges,
    { question: remembered(question), answer: remembered(reply), ...others },
  ];
  return { ...before, exchanges: exchanges.slice(-maxExchanges) };
};

/** How long a conversation is stored after the last message, in seconds. */
export const rememberedSeconds = 90 * daySeconds;

/** Old conversations have no expiry. */
const storedConversation = conversation.extend({ expires_at: z.int().optional() });

/** Reads a stored conversation; `undefined` for one that has expired: the table takes days to delete it. */
export const readConversation = (item: Item): Conversation | undefined => {
  const { expires_at: expiry, ...found } = storedConversation.parse(item);
  return expiry !== undefined && expiry * 1_000 <= Date.now() ? undefined : found;
};
