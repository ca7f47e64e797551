import type { ButtonsOutput, ListOutput } from "./plan.ts";

/** Who gets a reply, and from which of our numbers. */
export interface Recipient {
  readonly phoneNumberId: string;
  /** `undefined` for people who hide it. */
  readonly phone: string | undefined;
  /** The platform's id of the person; the phone number if there is none. */
  readonly sender: string;
}

export type Content =
  | { readonly kind: "text"; readonly text: string }
  | ListOutput
  | ButtonsOutput
  | { readonly kind: "audio"; readonly mediaId: string }
  | {
      readonly kind: "document";
      readonly mediaId: string;
      readonly fileName: string;
      readonly caption: string;
    }
  | {
      readonly kind: "template";
      readonly template: ResultTemplate;
      readonly mediaId: string;
      readonly fileName: string;
    };

/** A template message of the operator, whose header is a document. */
export interface ResultTemplate {
  readonly name: string;
  /** As the platform writes it, such as `en` or `en_US`. */
  readonly language: string;
}

export interface SendOptions {
  /** The id of the message to quote. */
  readonly quoting: string | undefined;
  /** The platform returns it in its reports about the message; at most 512 characters. */
  readonly reference: string;
}

export type SendOutcome =
  | { readonly kind: "accepted"; readonly id: string }
  /** Refused for good: the person cannot be reached, or something is wrong with the message. */
  | { readonly kind: "refused"; readonly reason: "unreachable" | "content"; readonly code: number }
  /** Not accepted now. */
  | { readonly kind: "postponed"; readonly seconds: number; readonly code: number }
  /** The connection broke after we sent the message. */
  | { readonly kind: "unknown" };

export interface Media {
  readonly bytes: Uint8Array;
}

export class MediaError extends Error {
  override readonly name = "MediaError";
  readonly reason: "gone" | "too-large" | "unreachable";

  constructor(reason: MediaError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface NewMedia {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fileName: string;
}

/** The messaging platform, as far as the assistant uses it. */
export interface MessagingPlatform {
  /** Sends one message, once. Never throws for failures of the platform or the network. */
  send(recipient: Recipient, content: Content, options: SendOptions): Promise<SendOutcome>;
  /** Marks a message as read and shows the typing indicator, for 25 seconds or until the reply. */
  showTyping(recipient: Pick<Recipient, "phoneNumberId">, messageId: string): Promise<void>;
  /** @throws MediaError, or the signal's reason. */
  download(mediaId: string, options: { readonly signal: AbortSignal }): Promise<Media>;
  /** @returns the id for sending the file. @throws Error when the platform does not accept it. */
  upload(
    recipient: Pick<Recipient, "phoneNumberId">,
    media: NewMedia,
    options: { readonly signal: AbortSignal },
  ): Promise<string>;
}
