/** The prefix of all partition keys of this folder, which permissions use. */
export const senderKeyPrefix = "SENDER#";

const partition = (sender: string): string => `${senderKeyPrefix}${sender}`;

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
};
