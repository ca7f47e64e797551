import * as z from "zod";

/** The platform counts in UTF-16 units as far as anybody has seen; the service cuts by the same. */
const text = (maximum: number) => z.string().min(1).max(maximum);

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
  ])
  .refine(({ to, recipient }) => to !== undefined || recipient !== undefined, {
    error: "The parameter to is required.",
  });
export type OutgoingMessage = z.output<typeof outgoingMessage>;

/** A read mark, with or without the sign that somebody is typing. */
export const readMark = z.object({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string().min(1),
  typing_indicator: z.object({ type: z.literal("text") }).optional(),
});
