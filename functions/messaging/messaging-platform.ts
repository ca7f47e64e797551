import type { ButtonsOutput, ListOutput } from "./plan.ts";

/** Whom an answer goes to, and from which of our numbers. */
export interface Recipient {
  readonly phoneNumberId: string;
  /** Absent for people who keep it to themselves. */
  readonly phone: string | undefined;
  /** The platform's id of the person; the phone number where it has none. */
  readonly sender: string;
}

/** Something the platform can send. */
export type Content =
  | { readonly kind: "text"; readonly text: string }
  | ListOutput
  | ButtonsOutput
  | { readonly kind: "audio"; readonly mediaId: string }
  | {
      readonly kind: "document";
      readonly mediaId: string;
      readonly fileName: string;
      /** Is shown with it. */
      readonly caption: string;
    };

/** What else goes with a message. */
export interface SendOptions {
  /** The id of the message that is shown above it. */
  readonly quoting: string | undefined;
  /** Comes back in the platform's reports about the message; at most 512 characters. */
  readonly reference: string;
}

/** What became of a message. */
export type SendOutcome =
  | { readonly kind: "accepted"; readonly id: string }
  /** It will never be taken: the person cannot be reached (any more), or something is wrong with the message. */
  | { readonly kind: "refused"; readonly reason: "unreachable" | "content"; readonly code: number }
  /** It was not taken now. */
  | { readonly kind: "postponed"; readonly seconds: number; readonly code: number }
  /** Nobody knows: the connection broke after the message had left. */
  | { readonly kind: "unknown" };

/** A file from the platform. */
export interface Media {
  readonly bytes: Uint8Array;
}

/** Why a file cannot be had. */
export class MediaError extends Error {
  override readonly name = "MediaError";
  readonly reason: "gone" | "too-large" | "unreachable";

  constructor(reason: MediaError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A file for the platform. */
export interface NewMedia {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fileName: string;
}

/** The messaging platform, as far as the assistant uses it. */
export interface MessagingPlatform {
  /** Sends one message, once. Never throws for what the platform or the network does. */
  send(recipient: Recipient, content: Content, options: SendOptions): Promise<SendOutcome>;
  /** Shows the person that their message was read and that somebody is writing, for 25 seconds or until the answer. */
  showTyping(recipient: Pick<Recipient, "phoneNumberId">, messageId: string): Promise<void>;
  /** @throws MediaError, or the signal's reason. */
  download(mediaId: string, options: { readonly signal: AbortSignal }): Promise<Media>;
  /** @returns the id under which the file can be sent. @throws Error when the platform does not take it. */
  upload(
    recipient: Pick<Recipient, "phoneNumberId">,
    media: NewMedia,
    options: { readonly signal: AbortSignal },
  ): Promise<string>;
}
