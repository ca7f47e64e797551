import { randomBytes } from "node:crypto";
import { GraphError, invalidParameter } from "./graph-error.ts";
import { type OutgoingMessage, outgoingMessage, readMark } from "./message-schema.ts";
import type { MessageStore } from "./message-store.ts";

/** A message that was taken. */
export interface TakenMessage {
  readonly id: string;
  readonly to: string;
  readonly phoneNumberId: string;
  /** As it was sent with the message. */
  readonly reference: string | undefined;
}

/** What became of a request to the messages' address: the answer, and the message if there was one. */
export interface Taken {
  readonly answer: object;
  readonly message?: TakenMessage;
}

const parse = (body: unknown): OutgoingMessage => {
  const { data, error } = outgoingMessage.safeParse(body);
  if (data) return data;
  const [issue] = error.issues;
  throw invalidParameter(`Invalid parameter ${issue?.path.join(".")}: ${issue?.message}`);
};

/**
 * Takes a message or a read mark.
 *
 * @throws GraphError for what the platform would refuse.
 */
export const takeMessage = (phoneNumberId: string, body: unknown, store: MessageStore): Taken => {
  if (readMark.safeParse(body).success) return { answer: { success: true } };
  const message = parse(body);
  if (message.type === "audio" && !store.findMedia(message.audio.id)) {
    throw new GraphError(400, 131_053, "Media upload error: there is no such file.");
  }
  const to = message.to ?? message.recipient ?? "";
  const id = `wamid.${randomBytes(24).toString("base64")}`;
  store.add({ id, to, type: message.type, body, at: new Date().toISOString() });
  return {
    answer: {
      messaging_product: "whatsapp",
      contacts: [{ input: to, ...(message.to === undefined ? { user_id: to } : { wa_id: to }) }],
      messages: [{ id }],
    },
    message: { id, to, phoneNumberId, reference: message.biz_opaque_callback_data },
  };
};
