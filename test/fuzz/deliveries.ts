import fc from "fast-check";
import { junk, spoil } from "./junk.ts";

/** Texts that may break a queue, a table or a JSON writer, among ordinary ones. */
const texts = fc.oneof(
  fc.constantFrom("hello", "status", "set language Acholi", "speak good evening", "mode translate"),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.constantFrom("\ufffe", "\uffff", "\ufdd0", "\u{1fffe}", "\ud83d", "\udc00", "\u0000", "\u0085", "a"),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .map((characters) => characters.join("")),
);

const people = fc.constantFrom("256700000001", "256700000002", "256700000003", "UG.1");

const contents = fc.oneof(
  texts.map((body) => ({ type: "text", text: { body } })),
  texts.map((body) => ({ type: "edit", edit: { message: { type: "text", text: { body } } } })),
  fc.record({ id: texts, title: texts }).map((row) => ({ interactive: { list_reply: row } })),
  fc.record({ message_id: texts, emoji: texts }).map((reaction) => ({ type: "reaction", reaction })),
  fc.constant({ type: "revoke" }),
);

const messages = fc
  .record({
    from: people,
    id: fc.uuid().map((id) => `wamid.${id}`),
    timestamp: fc.integer({ min: 1_795_000_000, max: 1_796_000_000 }).map(String),
    content: contents,
  })
  .map(({ content, ...message }): unknown => ({ ...message, ...content }));

const values = fc.record({
  metadata: fc.constant({ phone_number_id: "100000000000001" }),
  contacts: fc.array(fc.record({ profile: fc.record({ name: texts }), wa_id: people }), { maxLength: 2 }),
  messages: fc.array(
    fc.oneof(
      { arbitrary: messages, weight: 4 },
      messages.chain((one) => spoil(one, junk)),
    ),
    {
      maxLength: 12,
    },
  ),
});

/** Deliveries of the messaging platform: the one body whose schema says nothing about what is in it. */
export const deliveries: fc.Arbitrary<unknown> = fc.array(values, { maxLength: 2 }).map((found) => ({
  object: "whatsapp_business_account",
  entry: [{ id: "1", changes: found.map((value) => ({ field: "messages", value })) }],
}));
