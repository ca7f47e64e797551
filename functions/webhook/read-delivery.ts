import { createHash } from "node:crypto";
import * as z from "zod";
import type { InboundMessage, MessageContent } from "../../shared/messaging/inbound-message.ts";
import { readReference, type SendReceipt, type SentReply } from "../../shared/messaging/send-receipt.ts";

/** Treats a member with an unexpected form as absent, so one odd message does not lose the others. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const chosen = z.object({ id: z.string().default(""), title: z.string().default("") });

const identifier = /^[\w.+-]{1,128}$/;
const phoneNumber = /^\+?\d+$/;
const mediaId = z.string().regex(/^[\w.-]{1,128}$/);

/** A picture, a film or a file, which may come with a text. */
const attachment = z.object({
  id: lenient(mediaId),
  mime_type: lenient(z.string()),
  filename: lenient(z.string()),
  caption: lenient(z.string()),
});

/** The members of a message that we read (WhatsApp Cloud API, webhook "messages"). */
const wireMessage = z.object({
  id: z.string().min(1).max(256).optional(),
  /** A phone number; for people who hide theirs, also a user id. */
  from: lenient(z.string().regex(identifier)),
  /** Since 2026 people have a user id, and can hide their phone number. */
  from_user_id: lenient(z.string().regex(identifier)),
  group_id: lenient(z.string()),
  /** Unix seconds, in digits. */
  timestamp: lenient(z.string().regex(/^\d{1,11}$/)),
  type: lenient(z.string()),
  text: lenient(z.object({ body: z.string() })),
  /** Present in a reply to one message. */
  context: lenient(z.object({ id: z.string().min(1).max(256) })),
  audio: lenient(z.object({ id: mediaId })),
  image: lenient(attachment),
  video: lenient(attachment),
  document: lenient(attachment),
  reaction: lenient(z.object({ message_id: z.string(), emoji: z.string().default("") })),
  interactive: lenient(
    z.object({
      nfm_reply: z.unknown().optional(),
      call_permission_reply: z.unknown().optional(),
      list_reply: lenient(chosen),
      button_reply: lenient(chosen),
    }),
  ),
  button: lenient(z.object({ text: z.string() })),
  /** The new text of an earlier message. The edit has its own id. */
  edit: lenient(z.object({ message: z.object({ text: z.object({ body: z.string() }) }) })),
  /** A person has another phone number or user id. */
  system: lenient(
    z.object({
      wa_id: lenient(z.string().regex(identifier)),
      new_wa_id: lenient(z.string().regex(identifier)),
      user_id: lenient(z.string().regex(identifier)),
    }),
  ),
});
type WireMessage = z.infer<typeof wireMessage>;

const wireContact = z.object({
  wa_id: lenient(z.string().regex(identifier)),
  user_id: lenient(z.string().regex(identifier)),
  profile: lenient(z.object({ name: lenient(z.string()) })),
});

const wireStatus = z.object({
  id: z.string(),
  status: z.string(),
  biz_opaque_callback_data: z.string().optional(),
  errors: lenient(z.array(z.object({ code: z.int() }))),
});

const wireUserIdUpdate = z.object({
  wa_id: lenient(z.string().regex(identifier)),
  user_id: z.object({ previous: z.string().regex(identifier), current: z.string().regex(identifier) }),
});

const change = z.object({
  value: z
    .object({
      metadata: lenient(z.object({ phone_number_id: z.string().regex(/^\w{1,64}$/) })),
      contacts: lenient(z.array(wireContact)),
      messages: lenient(z.array(z.unknown())),
      statuses: lenient(z.array(z.unknown())),
      user_id_update: lenient(z.array(z.unknown())),
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
  /** How many messages were sent in groups, which get no reply. */
  readonly inGroups: number;
  readonly reports: readonly ReplyReport[];
  /** Why there are no messages, as the response's status. */
  readonly absence: "ignored" | "no_messages" | "invalid_message_format";
}

/** Types that need no reply: events of the platform, replies to questions that are not ours, and messages that the person deleted. */
const silentTypes: readonly string[] = ["system", "request_welcome", "revoke", "edit"];

const audioName = /\.(?:aac|amr|flac|m4a|mp3|mpga|oga|ogg|opus|wav|weba)$/i;

const isAudio = ({ mime_type = "", filename = "" }: z.infer<typeof attachment>): boolean =>
  mime_type.startsWith("audio/") || audioName.test(filename);

/** A recording, as a voice note or as a file. */
const recordingIn = ({ audio, document }: WireMessage): string | undefined =>
  audio?.id ?? (document && isAudio(document) ? document.id : undefined);

const captionOf = ({ image, video, document }: WireMessage): string | undefined =>
  (image ?? video ?? document)?.caption?.trim() || undefined;

/**
 * Returns the content; `undefined` when no reply is needed. The text of a template's button, an edit or a caption counts as
 * written.
 */
const contentOf = (message: WireMessage): MessageContent | undefined => {
  const { type = "", text, reaction, interactive, button, edit } = message;
  const choice = interactive?.list_reply ?? interactive?.button_reply;
  const recording = recordingIn(message);
  const words = text?.body ?? edit?.message.text.body ?? button?.text ?? captionOf(message);
  if (reaction) {
    // Without an emoji, the person removed the reaction.
    const { message_id: messageId, emoji } = reaction;
    return emoji === "" ? undefined : { type: "reaction", messageId, emoji };
  }
  if (choice) return { type: "choice", id: choice.id, title: choice.title };
  if (recording !== undefined) return { type: "voice", mediaId: recording };
  if (words !== undefined) return { type: "text", text: words };
  const isSilent =
    silentTypes.includes(type) ||
    interactive?.nfm_reply !== undefined ||
    interactive?.call_permission_reply !== undefined;
  return isSilent ? undefined : { type: "unsupported" };
};

/** Returns the sender's own contact: a delivery can contain several people. */
const contactOf = (
  { from, from_user_id }: WireMessage,
  contacts: Value["contacts"] = [],
): z.infer<typeof wireContact> | undefined =>
  contacts.find(
    ({ wa_id, user_id }) =>
      (wa_id !== undefined && wa_id === from) || (user_id !== undefined && user_id === from_user_id),
  ) ?? (from === undefined && from_user_id === undefined && contacts.length === 1 ? contacts[0] : undefined);

interface Names {
  readonly userId: string | undefined;
  readonly phone: string | undefined;
}

const isPhone = (name: string | undefined): boolean => name !== undefined && phoneNumber.test(name);

/** A phone number and a user id by their form: the platform also puts a user id where phone numbers were. */
const namesOf = (message: WireMessage, contact: z.infer<typeof wireContact> | undefined): Names => {
  const names = [message.from_user_id, message.from, contact?.user_id, contact?.wa_id];
  return {
    userId: names.find((name) => name !== undefined && !isPhone(name)),
    phone: names.find(isPhone),
  };
};

/** A message without an id gets one from its content, so a second delivery has the same id. */
const idOf = ({ id }: WireMessage, raw: unknown): string =>
  id ?? `unnamed-${createHash("sha256").update(JSON.stringify(raw)).digest("hex")}`;

/** A person's new identifier, which comes as a message of the old one. */
const readChange = (
  message: WireMessage,
  { userId, phone }: Names,
): Pick<InboundMessage, "sender" | "content"> | undefined => {
  const { user_id, wa_id, new_wa_id } = message.system ?? {};
  const sender = user_id ?? wa_id ?? new_wa_id;
  const names = [...new Set([userId, phone, wa_id].flatMap((name) => name ?? []))].filter(
    (name) => name !== sender,
  );
  return sender === undefined || names.length === 0
    ? undefined
    : { sender, content: { type: "identity", names } };
};

const readMessage = (
  raw: unknown,
  { metadata, contacts }: Value,
): InboundMessage | "silent" | "invalid" | "group" => {
  const { data: message } = wireMessage.safeParse(raw);
  const contact = message && contactOf(message, contacts);
  const names = message && namesOf(message, contact);
  const sender = names?.userId ?? names?.phone;
  if (!message || !names || !sender || !metadata) return "invalid";
  // A private reply would surprise the group, and one to the group everyone in it.
  if (message.group_id !== undefined) return "group";
  const rest = { id: idOf(message, raw), phoneNumberId: metadata.phone_number_id };
  const changed = readChange(message, names);
  if (changed) return { ...rest, ...changed };
  const content = contentOf(message);
  if (!content) return "silent";
  const name = contact?.profile?.name?.trim() || undefined;
  return {
    ...rest,
    sender,
    ...(names.phone === undefined ? {} : { phone: names.phone }),
    ...(name === undefined ? {} : { name }),
    ...(message.timestamp === undefined ? {} : { sentAt: Number(message.timestamp) }),
    ...(message.context === undefined ? {} : { quoting: message.context.id }),
    content,
  };
};

const readUserIdUpdate = (raw: unknown, { metadata }: Value): InboundMessage[] => {
  const { data: update } = wireUserIdUpdate.safeParse(raw);
  if (!update || !metadata) return [];
  const { previous, current: sender } = update.user_id;
  const names = [previous, update.wa_id ?? []].flat();
  const id = idOf({}, raw);
  return [{ id, phoneNumberId: metadata.phone_number_id, sender, content: { type: "identity", names } }];
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
  const updates = values.flatMap((value) =>
    (value.user_id_update ?? []).flatMap((raw) => readUserIdUpdate(raw, value)),
  );
  const messages = [...found.filter((each) => typeof each !== "string"), ...updates];
  const hasStatuses = values.some(({ statuses }) => statuses !== undefined);
  const hasEmptyMessages = values.some(({ messages: list }) => list?.length === 0);
  return {
    messages,
    inGroups: found.filter((each) => each === "group").length,
    reports: values.flatMap(({ statuses }) => (statuses ?? []).flatMap((raw) => readReport(raw) ?? [])),
    absence: found.includes("invalid")
      ? "invalid_message_format"
      : found.length === 0 && hasEmptyMessages && !hasStatuses
        ? "no_messages"
        : "ignored",
  };
};
