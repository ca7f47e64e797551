import * as z from "zod";
import type { MessageStore } from "./message-store.ts";

const writer = z.string().optional().catch(undefined);

const message = z.object({
  from: writer,
  from_user_id: writer,
  timestamp: z.coerce.number().int().positive().optional().catch(undefined),
});

const delivery = z.object({
  entry: z.array(
    z.object({ changes: z.array(z.object({ value: z.object({ messages: z.array(message).default([]) }) })) }),
  ),
});

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
};

/** Notes who wrote the messages of a delivery to the webhook, and when: that opens the window for replies. Ignores other bodies. */
export const noteDelivery = (body: Uint8Array, store: Pick<MessageStore, "noteWriter">): void => {
  const { data } = delivery.safeParse(parse(body));
  const messages = data?.entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.messages)) ?? [];
  for (const { from, from_user_id: userId, timestamp } of messages) {
    const at = timestamp ?? Math.floor(Date.now() / 1_000);
    for (const person of [from, userId]) if (person !== undefined) store.noteWriter(person, at);
  }
};
