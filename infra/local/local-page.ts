import type { SentMessage } from "./messaging/message-store.ts";

/** A link on the first page. */
export interface LocalLink {
  readonly target: string;
  readonly words: string;
  readonly note: string;
}

/** A mail that would have been sent. */
export interface ShownMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly at: string;
}

/** A page under `/_local`, with what it shows. */
export type LocalPage =
  | { readonly kind: "home"; readonly links: readonly LocalLink[] }
  | { readonly kind: "mail"; readonly mails: readonly ShownMail[] }
  | { readonly kind: "messages"; readonly messages: readonly SentMessage[] }
  | { readonly kind: "components"; readonly colours: readonly string[] };

/** What every page under `/_local` needs. */
export interface LocalFrame {
  /** The path of the service, without a slash at the end; usually empty. */
  readonly base: string;
  /** The addresses of the console's style sheet and of the script of every page. */
  readonly stylesheets: readonly string[];
  readonly scripts: readonly string[];
  /** Styles that only this page has. */
  readonly style: string;
  readonly now: number;
}

/** Renders a page under `/_local` as HTML. */
export type RenderLocalPage = (page: LocalPage, frame: LocalFrame) => string;
