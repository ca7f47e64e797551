import * as z from "zod";

/** Replaces lone surrogates, which the table, the platform and the models refuse. */
const words = () => z.string().overwrite((text) => text.toWellFormed());

/** The content of a message, as far as the assistant can use it. */
const content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: words() }),
  /** A recording, which the platform stores for 7 days. */
  z.object({ type: z.literal("voice"), mediaId: z.string() }),
  /** A row of a list or a button was tapped. */
  z.object({ type: z.literal("choice"), id: words(), title: words() }),
  /** An emoji on one of our messages. */
  z.object({ type: z.literal("reaction"), messageId: words(), emoji: words() }),
  /** The sender was known under other names before, or is from now on. It gets no reply. */
  z.object({ type: z.literal("identity"), names: z.array(z.string().min(1).max(128)) }),
  /** A picture, a location, a contact or anything else that the assistant does not understand. */
  z.object({ type: z.literal("unsupported") }),
  /** The job of the person's long recording has ended. Sent by the job worker, not by the platform. */
  z.object({ type: z.literal("transcript"), jobId: z.string(), voiceNoteId: words() }),
]);
export type MessageContent = z.infer<typeof content>;

/** A person's message, as the webhook queues it and the worker reads it. */
export const inboundMessage = z.object({
  /** The platform's id of the message: the same in every delivery. */
  id: words().min(1).max(256),
  /** The platform's user id where it has one, else the phone number. Settings and memory are stored under it. */
  sender: z.string().min(1).max(128),
  /** Where to send the reply. People with a username can hide it, and get replies by their user id. */
  phone: z.string().optional(),
  /** Which of our numbers received it. The reply comes from the same one. */
  phoneNumberId: z.string().min(1),
  /** The person's own name for themselves. */
  name: words().optional(),
  /** When the person sent it, in Unix seconds, by the platform's clock. Messages queued before 2026-11-22 do not have it. */
  sentAt: z.int().optional(),
  /** The id of the message that this one quotes. */
  quoting: words().optional(),
  content,
});
export type InboundMessage = z.infer<typeof inboundMessage>;
