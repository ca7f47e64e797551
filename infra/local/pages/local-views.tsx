/** @jsxImportSource preact */
import { type ComponentChildren, Fragment } from "preact";
import * as z from "zod";
import { EmptyState } from "../../../shared/pages/view/components.tsx";
import type { LocalLink, ShownMail } from "../local-page.ts";
import type { SentMessage } from "../messaging/message-store.ts";
import { agoIn, exactTime } from "./times.ts";

/** Where everything on this machine is. */
export const LocalHome = ({ links }: { readonly links: readonly LocalLink[] }) => (
  <>
    <p class="lead">
      The whole service runs on this machine. Mails and messages are not sent but shown here, to this machine
      only.
    </p>
    <ul class="columns three">
      {links.map(({ target, words, note }) => (
        <li key={target} class="card">
          <h2>
            <a href={target}>{words}</a>
          </h2>
          <p class="soft">{note}</p>
        </li>
      ))}
    </ul>
  </>
);

const Time = ({ at, now }: { readonly at: string; readonly now: number }) => (
  <time dateTime={at}>
    {agoIn(at, now)} ({exactTime(at)})
  </time>
);

const webAddress = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/;

/** One line of a text, with links for web addresses. */
const Line = ({ text }: { readonly text: string }) => (
  <>
    {text.split(webAddress).map((part, index) =>
      index % 2 === 1 ? (
        <a key={index} href={part}>
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </>
);

/** A text of several paragraphs, as it was written. */
const Text = ({ text }: { readonly text: string }) => (
  <>
    {text
      .trim()
      .split(/\n{2,}/)
      .map((paragraph, index) => (
        <p key={index}>
          {paragraph.split("\n").map((line, position) => (
            <Fragment key={position}>
              {position > 0 && <br />}
              <Line text={line} />
            </Fragment>
          ))}
        </p>
      ))}
  </>
);

const Sent = ({
  heading,
  facts,
  text,
}: {
  readonly heading: string;
  readonly facts: ComponentChildren;
  readonly text: string;
}) => (
  <section class="card">
    <h2>{heading}</h2>
    <p class="small faint">{facts}</p>
    <Text text={text} />
  </section>
);

/** The mails that would have been sent, the newest first. Their links work here. */
export const Mails = ({ mails, now }: { readonly mails: readonly ShownMail[]; readonly now: number }) =>
  mails.length === 0 ? (
    <EmptyState title="No mails yet">
      <p>Sign up in the console, and the mail appears here.</p>
    </EmptyState>
  ) : (
    mails.toReversed().map(({ to, subject, text, at }, index) => (
      <Sent
        key={index}
        heading={subject}
        facts={
          <>
            To {to.join(", ")}, <Time at={at} now={now} />
          </>
        }
        text={text}
      />
    ))
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
export const Messages = ({
  messages,
  now,
}: {
  readonly messages: readonly SentMessage[];
  readonly now: number;
}) =>
  messages.length === 0 ? (
    <EmptyState title="No messages yet">
      <p>
        Send one with <code>npm run message -- "Hello"</code>.
      </p>
    </EmptyState>
  ) : (
    messages.toReversed().map((message) => (
      <Sent
        key={message.id}
        heading={`To ${message.to}`}
        facts={
          <>
            {message.type}, <Time at={message.at} now={now} />
          </>
        }
        text={wordsOf(message)}
      />
    ))
  );
