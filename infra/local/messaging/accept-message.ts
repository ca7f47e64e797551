import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { MessageStore } from "./message-store.ts";

/** An error response of the Graph API (reference, "Error codes"). */
export class GraphError extends Error {
  override readonly name = "GraphError";
  readonly status: number;
  readonly body: object;

  constructor(status: number, code: number, message: string, type = "OAuthException") {
    super(message);
    this.status = status;
    this.body = { error: { message: `(#${code}) ${message}`, type, code, fbtrace_id: "local" } };
  }
}

/** The error for a parameter that the platform refuses. */
export const invalidParameter = (message: string): GraphError => new GraphError(400, 100, message);

/** The platform seems to count UTF-16 units, and the service splits texts by them too. */
const text = (maxLength: number) => z.string().min(1).max(maxLength);

const row = z.object({ id: text(200), title: text(24), description: z.string().max(72).optional() });
const section = z.object({ title: z.string().max(24).optional(), rows: z.array(row).min(1) });

const list = z.object({
  type: z.literal("list"),
  header: z.object({ type: z.literal("text"), text: text(60) }).optional(),
  body: z.object({ text: text(4096) }),
  footer: z.object({ text: text(60) }).optional(),
  action: z.object({
    button: text(20),
    sections: z
      .array(section)
      .min(1)
      .max(10)
      .refine((sections) => sections.flatMap(({ rows }) => rows).length <= 10, {
        error: "A list has at most 10 rows.",
      }),
  }),
});

const buttons = z.object({
  type: z.literal("button"),
  body: z.object({ text: text(1024) }),
  action: z.object({
    buttons: z
      .array(z.object({ type: z.literal("reply"), reply: z.object({ id: text(256), title: text(20) }) }))
      .min(1)
      .max(3),
  }),
});

const common = {
  messaging_product: z.literal("whatsapp"),
  /** A phone number; or, in `recipient`, a user id. */
  to: z.string().min(1).optional(),
  recipient: z.string().min(1).optional(),
  context: z.object({ message_id: z.string().min(1) }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};

const documentOf = <Others extends z.ZodRawShape>(others: Others) =>
  z.object({ id: text(128), filename: text(240).optional(), ...others });

/** A template of the operator, with a document in its header. */
const template = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.object({ code: z.string().regex(/^[a-z]{2,3}(?:_[A-Z]{2})?$/) }),
  components: z.array(
    z.object({
      type: z.literal("header"),
      parameters: z.array(z.object({ type: z.literal("document"), document: documentOf({}) })).length(1),
    }),
  ),
});

/** The messages that the assistant sends, within the platform's limits (reference, "Messages"). */
export const outgoingMessage = z
  .discriminatedUnion("type", [
    z.looseObject({ ...common, type: z.literal("text"), text: z.object({ body: text(4096) }) }),
    z.looseObject({
      ...common,
      type: z.literal("interactive"),
      interactive: z.discriminatedUnion("type", [list, buttons]),
    }),
    z.looseObject({ ...common, type: z.literal("audio"), audio: z.object({ id: text(128) }) }),
    z.looseObject({
      ...common,
      type: z.literal("document"),
      document: documentOf({ caption: text(1024).optional() }),
    }),
    z.looseObject({ ...common, type: z.literal("template"), template }),
  ])
  .refine(({ to, recipient }) => to !== undefined || recipient !== undefined, {
    error: "The parameter to is required.",
  });
type OutgoingMessage = z.output<typeof outgoingMessage>;

/** A read mark, with or without the typing indicator. */
const readMark = z.object({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string().min(1),
  typing_indicator: z.object({ type: z.literal("text") }).optional(),
});

/** An accepted message. */
export interface TakenMessage {
  readonly id: string;
  readonly to: string;
  readonly phoneNumberId: string;
  /** The sender's own reference. */
  readonly reference: string | undefined;
}

/** The response to a request, and the message unless it was a read mark. */
interface Taken {
  readonly response: object;
  readonly message?: TakenMessage;
}

const parse = (body: unknown): OutgoingMessage => {
  const { data, error } = outgoingMessage.safeParse(body);
  if (data) return data;
  const [issue] = error.issues;
  throw invalidParameter(`Invalid parameter ${issue?.path.join(".")}: ${issue?.message}`);
};

/** The ids of the files in a message. */
const filesOf = (message: OutgoingMessage): string[] => {
  switch (message.type) {
    case "audio":
      return [message.audio.id];
    case "document":
      return [message.document.id];
    case "template":
      return message.template.components.flatMap(({ parameters }) =>
        parameters.map(({ document }) => document.id),
      );
    default:
      return [];
  }
};

const windowSeconds = 24 * 60 * 60;

/**
 * Whether the person last wrote more than 24 hours ago, so the platform accepts templates only. A person who has written nothing to this
 * machine counts as one who writes now: tests and commands may also start a worker without a delivery.
 */
const isWindowClosed = (person: string, store: MessageStore): boolean => {
  const at = store.lastWroteAt(person);
  return at !== undefined && Date.now() / 1_000 - at > windowSeconds;
};

/**
 * Accepts a message or a read mark.
 *
 * @throws GraphError when the platform would refuse it.
 */
export const takeMessage = (phoneNumberId: string, body: unknown, store: MessageStore): Taken => {
  if (readMark.safeParse(body).success) return { response: { success: true } };
  const message = parse(body);
  if (filesOf(message).some((id) => !store.findMedia(id))) {
    throw new GraphError(400, 131_053, "Media upload error: there is no such file.");
  }
  const to = message.to ?? message.recipient ?? "";
  if (message.type !== "template" && isWindowClosed(to, store)) {
    throw new GraphError(400, 131_047, "Re-engagement message");
  }
  const id = `wamid.${randomBytes(24).toString("base64")}`;
  store.add({ id, to, type: message.type, body, at: new Date().toISOString() });
  return {
    response: {
      messaging_product: "whatsapp",
      contacts: [{ input: to, ...(message.to === undefined ? { user_id: to } : { wa_id: to }) }],
      messages: [{ id }],
    },
    message: { id, to, phoneNumberId, reference: message.biz_opaque_callback_data },
  };
};
