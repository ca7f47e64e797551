/** Every key of this folder begins with it, so that a function can be kept away from everything else in the table. */
export const senderKeyPrefix = "SENDER#";

const partition = (sender: string): string => `${senderKeyPrefix}${sender}`;

/** The key table of this folder's README, in code. No other file spells a key. */
export const messagingKeys = {
  /** Everything of one person is in one partition, so that it can be forgotten as a whole. */
  sender: partition,
  /** M1: a person's preferences and what the assistant remembers. */
  conversation: (sender: string) => ({ PK: partition(sender), SK: "CONVERSATION" }),
  /** M2: how far the work on a message is. */
  message: (sender: string, messageId: string) => ({ PK: partition(sender), SK: `MESSAGE#${messageId}` }),
  /** M3: a rating or reaction, by the message that brought it. */
  feedback: (sender: string, messageId: string) => ({ PK: partition(sender), SK: `FEEDBACK#${messageId}` }),
  /** M4: under which id a phone number is kept, for people whom the platform names by a user id. */
  alias: (phone: string) => ({ PK: partition(phone), SK: "ALIAS" }),
};
