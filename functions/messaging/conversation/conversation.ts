import * as z from "zod";

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

/** What somebody said, what they were answered, and the platform's ids of the messages that carried the answer. */
export const exchange = z.object({
  question: z.string(),
  answer: z.string(),
  replies: z.array(z.string()),
});
export type Exchange = z.infer<typeof exchange>;

/** Everything the assistant remembers of a person. */
export const conversation = z.object({
  settings,
  /** Oldest first. The last few go to the model as they are, those before them wait to become part of the note. */
  exchanges: z.array(exchange),
  /** What was said before the exchanges, in a few sentences; empty as long as there is nothing to tell. */
  note: z.string(),
});
export type Conversation = z.infer<typeof conversation>;

/** Exchanges that go to the model word for word. */
export const recentExchanges = 5;

/** Exchanges before those that are kept until they are part of the note. */
export const mostOlderExchanges = 12;

/** Longer texts are remembered by their beginning; DynamoDB charges by the kilobyte. */
const rememberedCharacters = 2_000;

const remembered = (text: string): string => text.slice(0, rememberedCharacters).toWellFormed();

/** The conversation with one more exchange; what is too old for the model and for the note falls out. */
export const withExchange = (before: Conversation, { question, answer, replies }: Exchange): Conversation => {
  const exchanges = [
    ...before.exchanges,
    { question: remembered(question), answer: remembered(answer), replies },
  ];
  return { ...before, exchanges: exchanges.slice(-(recentExchanges + mostOlderExchanges)) };
};
