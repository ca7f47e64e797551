import { createHash } from "node:crypto";
import * as z from "zod";
import type { InboundMessage, MessageContent } from "../../shared/messaging/inbound-message.ts";
import { readReference, type SendReceipt, type SentReply } from "../../shared/messaging/send-receipt.ts";

/** Treats a member with an unexpected form as absent, so one odd message does not lose the others. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const chosen = z.object({ id: z.string().default(""), title: z.string().default("") });

/** The members of a message that we read (WhatsApp Cloud API, webhook "messages"). */
const wireMessage = z.object({
  id: z.string().min(1).max(256).optional(),
  from: lenient(z.string().regex(/^[\w.+-]{1,128}$/)),
  /** Since 2026 people have a user id, and can hide their phone number. */
  from_user_id: lenient(z.string().regex(/^[\w.+-]{1,128}$/)),
  /** Unix seconds, in digits. */
  timestamp: lenient(z.string().regex(/^\d{1,11}$/)),
  type: lenient(z.string()),
  text: lenient(z.object({ body: z.string() })),
  /** Present in a reply to one message. */
  context: lenient(z.object({ id: z.string().min(1).max(256) })),
  audio: lenient(z.object({ id: z.string().regex(/^[\w.-]{1,128}$/) })),
  reaction: lenient(z.object({ message_id: z.string(), emoji: z.string().default("") })),
  interactive: lenient(z.object({ list_reply: lenient(chosen), button_reply: lenient(chosen) })),
  button: lenient(z.object({ text: z.string() })),
  /** The new text of an earlier message. The edit has its own id. */
  edit: lenient(z.object({ message: z.object({ text: z.object({ body: z.string() }) }) })),
});
type WireMessage = z.infer<typeof wireMessage>;

const wireContact = z.object({
  wa_id: lenient(z.string()),
  user_id: lenient(z.string()),
  profile: lenient(z.object({ name: lenient(z.string()) })),
});

const wireStatus = z.object({
  id: z.string(),
  status: z.string(),
  biz_opaque_callback_data: z.string().optional(),
  errors: lenient(z.array(z.object({ code: z.int() }))),
});

const change = z.object({
  value: z
    .object({
      metadata: lenient(z.object({ phone_number_id: z.string().regex(/^\w{1,64}$/) })),
      contacts: lenient(z.array(wireContact)),
      messages: lenient(z.array(z.unknown())),
      statuses: lenient(z.array(z.unknown())),
    })
    .catch({}),
});
type Value = z.infer<typeof change>["value"];

const entry = z.object({ changes: z.array(change.catch({ value: {} })).catch([]) }).catch({ changes: [] });

const delivery = z.object({ object: z.string(), entry: z.array(entry) });

/** The platform's report about one of our replies. */
export interface ReplyReport {
  readonly reply: SentReply;
  readonly receipt: SendReceipt;
}

export interface Delivery {
  /** Every message that we can reply to, in order. */
  readonly messages: readonly InboundMessage[];
  readonly reports: readonly ReplyReport[];
  /** Why there are no messages, as the response's status. */
  readonly absence: "ignored" | "no_messages" | "invalid_message_format";
}

/** Types that need no reply: events of the platform, and messages that the person deleted. */
const silentTypes: readonly string[] = ["system", "request_welcome", "revoke"];

/** Returns the content; `undefined` when no reply is needed. The text of a template's button or an edit counts as written. */
const contentOf = (message: WireMessage): MessageContent | undefined => {
  const { type, text, audio, reaction, interactive, button, edit } = message;
  const choice = interactive?.list_reply ?? interactive?.button_reply;
  const words = text?.body ?? edit?.message.text.body ?? button?.text;
  if (reaction) {
    // Without an emoji, the person removed the reaction.
    const { message_id: messageId, emoji } = reaction;
    return emoji === "" ? undefined : { type: "reaction", messageId, emoji };
  }
  if (choice) return { type: "choice", id: choice.id, title: choice.title };
  if (audio) return { type: "voice", mediaId: audio.id };
  if (words !== undefined) return { type: "text", text: words };
  return type !== undefined && silentTypes.includes(type) ? undefined : { type: "unsupported" };
};

/** Returns the name in the sender's own contact: a delivery can contain several people. */
const nameOf = (
  { from, from_user_id }: WireMessage,
  contacts: Value["contacts"] = [],
): string | undefined => {
  const own = contacts.find(
    ({ wa_id, user_id }) =>
      (wa_id !== undefined && wa_id === from) || (user_id !== undefined && user_id === from_user_id),
  );
  return own?.profile?.name?.trim() || undefined;
};

/** A message without an id gets one from its content, so a second delivery has the same id. */
const idOf = ({ id }: WireMessage, raw: unknown): string =>
  id ?? `unnamed-${createHash("sha256").update(JSON.stringify(raw)).digest("hex")}`;

const readMessage = (raw: unknown, { metadata, contacts }: Value): InboundMessage | "silent" | "invalid" => {
  const { data: message } = wireMessage.safeParse(raw);
  const sender = message?.from_user_id ?? message?.from;
  if (!message || !sender || !metadata) return "invalid";
  const content = contentOf(message);
  if (!content) return "silent";
  const name = nameOf(message, contacts);
  return {
    id: idOf(message, raw),
    sender,
    ...(message.from === undefined ? {} : { phone: message.from }),
    phoneNumberId: metadata.phone_number_id,
    ...(name === undefined ? {} : { name }),
    ...(message.timestamp === undefined ? {} : { sentAt: Number(message.timestamp) }),
    ...(message.context === undefined ? {} : { quoting: message.context.id }),
    content,
  };
};

const readReport = (raw: unknown): ReplyReport | undefined => {
  const { data: status } = wireStatus.safeParse(raw);
  const reply = readReference(status?.biz_opaque_callback_data ?? "");
  if (!status || !reply) return undefined;
  // Only the first good report matters, and each one costs a write.
  if (status.status === "sent") return { reply, receipt: { id: status.id } };
  if (status.status !== "failed") return undefined;
  return { reply, receipt: { id: status.id, refusal: status.errors?.[0]?.code ?? 0 } };
};

/**
 * Reads all messages and reports of a delivery. Ignores everything else that the platform sends, such as calls, account updates and
 * read receipts.
 *
 * @param payload the parsed JSON; `undefined` for a body that is not JSON.
 */
export const readDelivery = (payload: unknown): Delivery => {
  const { data } = delivery.safeParse(payload);
  const values = data?.entry.flatMap(({ changes }) => changes.map(({ value }) => value)) ?? [];
  const found = values.flatMap((value) => (value.messages ?? []).map((raw) => readMessage(raw, value)));
  const messages = found.filter((each) => typeof each !== "string");
  const hasStatuses = values.some(({ statuses }) => statuses !== undefined);
  const hasEmptyMessages = values.some(({ messages: list }) => list?.length === 0);
  return {
    messages,
    reports: values.flatMap(({ statuses }) => (statuses ?? []).flatMap((raw) => readReport(raw) ?? [])),
    absence: found.includes("invalid")
      ? "invalid_message_format"
      : found.length === 0 && hasEmptyMessages && !hasStatuses
        ? "no_messages"
        : "ignored",
  };
};
