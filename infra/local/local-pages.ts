import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { LocalResponse } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { escapeHtml } from "../../shared/http/html.ts";
import type { SentMessage } from "./messaging/message-store.ts";

/** The pages under `/_local`. Programs get the same content as JSON. */

/** The same style as the service's own pages. */
const style = readFileSync(new URL("../../functions/console/view/style.css", import.meta.url), "utf8");
const styleHash = createHash("sha256").update(style).digest("base64");

/** The pages show texts by other people, so they load nothing and run nothing. */
const pageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
};

/** Returns a text as HTML, with links for web addresses. */
const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/)
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join("")
    .replaceAll("\n", "<br>\n");

const page = (title: string, content: string, home: string): LocalResponse => ({
  status: 200,
  headers: pageHeaders,
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header class="bar"><a class="brand" href="${escapeHtml(home)}">On this machine</a></header>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`,
});

/** A link on the first page. */
export interface LocalLink {
  readonly target: string;
  readonly words: string;
  readonly note: string;
}

/** The first page, with links to everything on this machine. */
export const localHomePage = (links: readonly LocalLink[], home: string): LocalResponse =>
  page(
    "On this machine",
    `<p>The whole service runs on this machine. Mails and messages are not sent but shown here, to this machine only.</p>
<ul class="cards">
${links
  .map(
    ({ target, words, note }) =>
      `<li class="card"><p><a href="${escapeHtml(target)}">${escapeHtml(words)}</a></p><p class="soft">${escapeHtml(note)}</p></li>`,
  )
  .join("\n")}
</ul>`,
    home,
  );

const card = (heading: string, note: string, content: string): string =>
  `<section class="card"><h2>${escapeHtml(heading)}</h2>\n<p class="soft">${escapeHtml(note)}</p>\n<p>${content}</p></section>`;

interface ShownMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly at: string;
}

/** The mails that would have been sent, the newest first. Of each its text: what its links do, they do here. */
export const mailPage = (mails: readonly ShownMail[], home: string): LocalResponse =>
  page(
    "Mails",
    mails.length === 0
      ? '<div class="empty"><h2>No mails yet</h2><p>Sign up in the console, and the mail appears here.</p></div>'
      : mails
          .toReversed()
          .map(({ to, subject, text, at }) =>
            card(subject, `To ${to.join(", ")}, ${at}`, withLinks(text.trim())),
          )
          .join("\n"),
    home,
  );

const messageWords = z.union([
  z.looseObject({ text: z.object({ body: z.string() }) }).transform(({ text }) => text.body),
  z
    .looseObject({ interactive: z.looseObject({ body: z.object({ text: z.string() }) }) })
    .transform(({ interactive }) => interactive.body.text),
]);

const wordsOf = ({ body }: SentMessage): string =>
  messageWords.safeParse(body).data ?? JSON.stringify(body, undefined, 2);

/** The messages that the platform would have passed on, the newest first. */
export const messagesPage = (messages: readonly SentMessage[], home: string): LocalResponse =>
  page(
    "Messages",
    messages.length === 0
      ? '<div class="empty"><h2>No messages yet</h2><p>Send one with <code>npm run message -- "Hello"</code>.</p></div>'
      : messages
          .toReversed()
          .map((message) =>
            card(`To ${message.to}`, `${message.type}, ${message.at}`, withLinks(wordsOf(message))),
          )
          .join("\n"),
    home,
  );
