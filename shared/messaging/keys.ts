/** The prefix of all partition keys of people, which permissions use. */
export const senderKeyPrefix = "SENDER#";

/** The prefix of the partition keys of translations that people let us keep. */
export const translationFeedbackKeyPrefix = "FEEDBACK#";

const partition = (sender: string): string => `${senderKeyPrefix}${sender}`;

/** Where a translation that a person let us store is: its month, such as `2026-11`, and its id in that month. */
export interface TranslationFeedbackName {
  readonly month: string;
  readonly id: string;
}

const translationPrefix = "TRANSLATION#";

/** The key table of this folder's README in code. No other file contains a key. */
export const messagingKeys = {
  /** All items of a person are in one partition, so they can be deleted together. */
  sender: partition,
  /** M1: a person's settings and what the assistant remembers. */
  conversation: (sender: string) => ({ PK: partition(sender), SK: "CONVERSATION" }),
  /** M2: the progress of the work on a message. */
  message: (sender: string, messageId: string) => ({ PK: partition(sender), SK: `MESSAGE#${messageId}` }),
  /** M3: a rating or reaction, by the message that contained it. */
  feedback: (sender: string, messageId: string) => ({ PK: partition(sender), SK: `FEEDBACK#${messageId}` }),
  /** M4: the user id of a phone number, for people whom the platform identifies by a user id. */
  alias: (phone: string) => ({ PK: partition(phone), SK: "ALIAS" }),
  /** M5: that a person said STOP. One query by the beginning of the key reads it with the conversation. */
  stopped: (sender: string) => ({ PK: partition(sender), SK: "CONVERSATION#STOPPED" }),
  /** M6: which translation a person let us store. */
  translation: (sender: string, { month, id }: TranslationFeedbackName) => ({
    PK: partition(sender),
    SK: `${translationPrefix}${month}#${id}`,
  }),
  /** M7: a translation that its person called wrong and let us store. It does not name the person. */
  translationFeedback: ({ month, id }: TranslationFeedbackName) => ({
    PK: `${translationFeedbackKeyPrefix}${month}`,
    SK: id,
  }),
  /** M8: that a message of a forgotten person is done, by a digest from which no one can learn who wrote it. */
  forgotten: (digest: string) => ({ PK: partition(`FORGOTTEN#${digest}`), SK: "FORGOTTEN" }),
};

/** Returns the translation that a sort key of M6 leads to; `undefined` for the keys of other items. */
export const readTranslationKey = (SK: string): TranslationFeedbackName | undefined => {
  if (!SK.startsWith(translationPrefix)) return undefined;
  const [month = "", id = ""] = SK.slice(translationPrefix.length).split("#");
  return { month, id };
};
