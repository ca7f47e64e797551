import * as z from "zod";

/** A half of a surrogate pair is no text: the table, the platform and models refuse it, so the worker never sees one. */
const words = () => z.string().overwrite((text) => text.toWellFormed());

/** What somebody sent, as far as the assistant can use it. */
const content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: words() }),
  /** A recording; the platform keeps it for 7 days. */
  z.object({ type: z.literal("voice"), mediaId: z.string() }),
  /** A row of a list or a button was tapped. */
  z.object({ type: z.literal("choice"), id: words(), title: words() }),
  /** An emoji under a message of ours. */
  z.object({ type: z.literal("reaction"), messageId: words(), emoji: words() }),
  /** A picture, a place, a contact: anything the assistant does not understand. */
  z.object({ type: z.literal("unsupported") }),
  /** The job is over that a long recording of theirs has become. Comes from the worker of jobs, not from the platform. */
  z.object({ type: z.literal("transcript"), jobId: z.string(), voiceNoteId: words() }),
]);
export type MessageContent = z.infer<typeof content>;

/** A message of a person, as the webhook leaves it in the queue and the worker takes it out. */
export const inboundMessage = z.object({
  /** The platform's id of the message: the same in every delivery of it. */
  id: words().min(1).max(256),
  /**
   * Who sent it: the platform's user id where there is one, else the phone number. Preferences and memory hang on it.
   */
  sender: z.string().min(1).max(128),
  /** Where an answer goes; people with a user name may hide it, and are then answered by their user id. */
  phone: z.string().optional(),
  /** Which number of ours it came to, and the answer comes from. */
  phoneNumberId: z.string().min(1),
  /** As the person calls themselves. */
  name: words().optional(),
  /** When the person sent it, in Unix seconds, as the platform says. Messages queued before 2026-11-22 do not have it. */
  sentAt: z.int().optional(),
  content,
});
export type InboundMessage = z.infer<typeof inboundMessage>;
