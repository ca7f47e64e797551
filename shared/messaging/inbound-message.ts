import * as z from "zod";

/** What somebody sent, as far as the assistant can use it. */
const content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  /** A recording; the platform keeps it for 7 days. */
  z.object({ type: z.literal("voice"), mediaId: z.string() }),
  /** A row of a list or a button was tapped. */
  z.object({ type: z.literal("choice"), id: z.string(), title: z.string() }),
  /** An emoji under a message of ours. */
  z.object({ type: z.literal("reaction"), messageId: z.string(), emoji: z.string() }),
  /** A picture, a place, a contact: anything the assistant does not understand. */
  z.object({ type: z.literal("unsupported") }),
]);
export type MessageContent = z.infer<typeof content>;

/** A message of a person, as the webhook leaves it in the queue and the worker takes it out. */
export const inboundMessage = z.object({
  /** The platform's id of the message: the same in every delivery of it. */
  id: z.string().min(1).max(256),
  /**
   * Who sent it: the platform's user id where there is one, else the phone number. Preferences and memory hang on it.
   */
  sender: z.string().min(1).max(128),
  /** Where an answer goes; people with a user name may hide it, and are then answered by their user id. */
  phone: z.string().optional(),
  /** Which number of ours it came to, and the answer comes from. */
  phoneNumberId: z.string().min(1),
  /** As the person calls themselves. */
  name: z.string().optional(),
  content,
});
export type InboundMessage = z.infer<typeof inboundMessage>;
