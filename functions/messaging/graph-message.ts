import { cutText } from "./cut-text.ts";
import type { Content, Recipient, SendOptions } from "./messaging-platform.ts";

/** The platform's limits (Cloud API reference, Messages). It refuses messages with longer texts. */
export const limits = {
  text: 4_096,
  listText: 4_096,
  buttonsText: 1_024,
  header: 60,
  footer: 60,
  listButton: 20,
  rows: 10,
  rowTitle: 24,
  rowDescription: 72,
  buttons: 3,
  buttonTitle: 20,
  caption: 1_024,
} as const;

const listOf = (list: Extract<Content, { kind: "list" }>) => ({
  type: "list",
  header: { type: "text", text: cutText(list.header, limits.header) },
  body: { text: cutText(list.text, limits.listText) },
  ...(list.footer === undefined ? {} : { footer: { text: cutText(list.footer, limits.footer) } }),
  action: {
    button: cutText(list.button, limits.listButton),
    sections: [
      {
        title: cutText(list.header, limits.rowTitle),
        rows: list.rows.slice(0, limits.rows).map(({ id, title, description }) => ({
          id,
          title: cutText(title, limits.rowTitle),
          ...(description === undefined ? {} : { description: cutText(description, limits.rowDescription) }),
        })),
      },
    ],
  },
});

const buttonsOf = ({ text, buttons }: Extract<Content, { kind: "buttons" }>) => ({
  type: "button",
  body: { text: cutText(text, limits.buttonsText) },
  action: {
    buttons: buttons.slice(0, limits.buttons).map(({ id, title }) => ({
      type: "reply",
      reply: { id, title: cutText(title, limits.buttonTitle) },
    })),
  },
});

const templateOf = ({ template, mediaId, fileName }: Extract<Content, { kind: "template" }>) => ({
  name: template.name,
  language: { code: template.language },
  components: [
    {
      type: "header",
      parameters: [{ type: "document", document: { id: mediaId, filename: fileName } }],
    },
  ],
});

const membersOf = (content: Content) => {
  switch (content.kind) {
    case "text":
      return { type: "text", text: { preview_url: true, body: cutText(content.text, limits.text) } };
    case "audio":
      // The platform shows only OGG with Opus as a voice note, and a play button only up to 512 KB.
      return { type: "audio", audio: { id: content.mediaId, voice: true } };
    case "document":
      return {
        type: "document",
        document: {
          id: content.mediaId,
          filename: content.fileName,
          caption: cutText(content.caption, limits.caption),
        },
      };
    case "template":
      return { type: "template", template: templateOf(content) };
    case "list":
      return { type: "interactive", interactive: listOf(content) };
    case "buttons":
      return { type: "interactive", interactive: buttonsOf(content) };
  }
};

/** User ids are a country's two letters and a dot before letters and digits; the platform drops what goes to one as `to`. */
const addressOf = (name: string): { readonly recipient: string } | { readonly to: string } =>
  /^\+?\d+$/.test(name) ? { to: name } : { recipient: name };

/**
 * Returns the JSON of a message. It addresses a person by phone number if known, as the platform advises, else by user id
 * (`recipient`, since 2026).
 */
export const renderMessage = (
  { phone, sender }: Recipient,
  content: Content,
  { quoting, reference }: SendOptions,
) => ({
  messaging_product: "whatsapp",
  recipient_type: "individual",
  ...addressOf(phone ?? sender),
  ...membersOf(content),
  ...(quoting === undefined ? {} : { context: { message_id: quoting } }),
  biz_opaque_callback_data: reference,
});
