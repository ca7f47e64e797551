import { createHmac, randomBytes, randomInt } from "node:crypto";
import { expect } from "vitest";
import * as z from "zod";
import { call, type JsonResponse } from "./client.ts";

const appSecret = "local-app-secret";

/** What the messaging platform's stand-in shows. */
const sentMessages = z.array(
  z.object({
    id: z.string(),
    to: z.string(),
    type: z.string(),
    body: z.looseObject({
      text: z.object({ body: z.string() }).optional(),
      context: z.object({ message_id: z.string() }).optional(),
      document: z.object({ id: z.string(), filename: z.string(), caption: z.string() }).optional(),
      interactive: z
        .looseObject({
          body: z.object({ text: z.string() }),
          footer: z.object({ text: z.string() }).optional(),
          action: z.looseObject({
            sections: z
              .array(z.object({ rows: z.array(z.object({ id: z.string(), title: z.string() })) }))
              .optional(),
          }),
        })
        .optional(),
    }),
    at: z.iso.datetime(),
  }),
);
export type SentMessage = z.output<typeof sentMessages>[number];

/** Everything that was sent to one person, oldest first, when nothing more is on its way. */
export const messagesTo = async (person: string): Promise<SentMessage[]> => {
  let all: SentMessage[] = [];
  await expect
    .poll(
      async () => {
        const response = await call("/_local/messages");
        all = sentMessages.parse(response.body);
        return response.headers.get("x-queue-idle");
      },
      { timeout: 25_000 },
    )
    .toBe("true");
  return all.filter(({ to }) => to === person);
};

/** What a person reads in a message: its text, a file's caption, or a menu's text and the titles of its rows. */
export const wordsOf = ({ body: { text, document, interactive } }: SentMessage): string =>
  text?.body ??
  document?.caption ??
  [
    interactive?.body.text,
    ...(interactive?.action.sections ?? []).flatMap(({ rows }) => rows.map(({ title }) => title)),
  ].join(" | ");

/** The platform's signature of a body. */
export const signatureOf = (body: string, secret = appSecret): Record<string, string> => ({
  "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});

/** Posts a delivery as the platform would. */
export const deliver = (
  body: string,
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<JsonResponse> =>
  call(options.path ?? "/tasks/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(options.headers ?? signatureOf(body)) },
    body,
  });

export const newMessageId = (): string => `wamid.${randomBytes(24).toString("base64")}`;

/** A delivery with these messages. */
export const deliveryWith = (messages: readonly object[], contacts: readonly object[] = []): string =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        id: "1",
        changes: [
          {
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: "256700000000", phone_number_id: "100000000000001" },
              contacts,
              messages,
            },
          },
        ],
      },
    ],
  });

/** A new person. @param secondsAgo when their messages were sent; the platform delivers some late. */
export const newPerson = ({ secondsAgo = 0, id = `2567${randomInt(10_000_000, 99_999_999)}` } = {}) => {
  let seen = 0;
  const messageOf = (content: object, messageId = newMessageId()) => ({
    from: id,
    id: messageId,
    timestamp: String(Math.floor(Date.now() / 1_000) - secondsAgo),
    ...content,
  });
  const contacts = [{ profile: { name: "Amina Nakato" }, wa_id: id }];
  const bodyOf = (content: object, messageId?: string) =>
    deliveryWith([messageOf(content, messageId)], contacts);
  const textOf = (words: string) => ({ type: "text", text: { body: words } });

  /** Sends something, and returns the replies. */
  const send = async (content: object, messageId?: string): Promise<SentMessage[]> => {
    expect(await deliver(bodyOf(content, messageId))).toMatchObject({
      status: 200,
      body: { status: "success" },
    });
    const all = await messagesTo(id);
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh;
  };
  const words = async (content: object): Promise<string[]> => (await send(content)).map(wordsOf);
  const sayInReply = (messageId: string, text: string) =>
    words({ ...textOf(text), context: { from: "256700000000", id: messageId } });

  return {
    id,
    messageOf,
    bodyOf,
    textOf,
    send,
    say: (text: string) => words(textOf(text)),
    /** Says something in reply to a message, which it quotes. */
    sayInReply,
    tap: (title: string, choiceId = "row 1") =>
      words({
        type: "interactive",
        interactive: { type: "list_reply", list_reply: { id: choiceId, title } },
      }),
    record: (mediaId: string) =>
      send({ type: "audio", audio: { id: mediaId, mime_type: "audio/ogg; codecs=opus", voice: true } }),
    react: (messageId: string, emoji: string) =>
      words({ type: "reaction", reaction: { message_id: messageId, emoji } }),
  };
};
