import type { IncomingMessage } from "node:http";
import { AppError } from "../../../platform/errors/app-error.ts";
import { toAppError } from "../../../platform/errors/dependency-failure.ts";
import {
  BackendTimeout,
  BackendUnreachable,
  connectionFailure,
} from "../../../platform/outbound/failures.ts";
import type { Receiver } from "../../../platform/outbound/source.ts";
import { IdleTimer } from "../../../platform/outbound/timeouts.ts";
import { logger } from "../../../platform/telemetry/logger.ts";
import type { ChatEvent, ChatStream } from "../chat.ts";
import type { ReadingOptions } from "./chat-completion.ts";
import { StreamedResponse } from "./streamed-response.ts";

/** A server that has sent its last event ends the response at once; one that does not loses its connection. */
const endMilliseconds = 1_000;

/** Discards the rest of a response, so that its connection can be used again. */
const release = (response: IncomingMessage): void => {
  const timer = setTimeout(() => response.destroy(), endMilliseconds);
  response.once("close", () => clearTimeout(timer));
  response.resume();
};

type Group = readonly ChatEvent[];

interface ReadOptions {
  readonly habits: ReadingOptions;
  readonly model: string;
  readonly silenceMilliseconds: number;
  /** Converts any thrown value to one of our errors. */
  readonly asFailure: (thrown: unknown) => AppError;
}

/**
 * The groups of a streamed reply in which its model has produced something, if only thoughts.
 *
 * Dozens of streams pass through here token by token, so a token costs no promise and no timer: bytes are taken as
 * they arrive, and silence is measured from a noted time. While the stream is paused nothing is read, and silence is
 * not counted. A comment, or a part of an event, is not progress. Stopping closes the connection.
 */
export class ReplyGroups implements ChatStream {
  readonly #response: IncomingMessage;
  readonly #options: ReadOptions;
  readonly #reply: StreamedResponse;
  readonly #silence: IdleTimer;
  readonly #advanceSoon = (): void => this.#advance();
  #receiver: Receiver<Group> | undefined;
  /** What arrived before there was a receiver. */
  #first: Group | undefined;
  #isPaused = false;
  /** What has arrived and is not read yet. */
  #text = "";
  /** Whether the server's last byte has arrived. */
  #isComplete = false;
  #failure: unknown;
  #isClosed = false;

  constructor(response: IncomingMessage, options: ReadOptions) {
    this.#response = response;
    this.#options = options;
    this.#reply = new StreamedResponse(options.habits);
    this.#silence = new IdleTimer({
      milliseconds: options.silenceMilliseconds,
      onIdle: () => this.#endSilence(),
    });
    this.#silence.touch();
    // The socket's own timeout cannot distinguish a silent server from a slow reader.
    response.setTimeout(0);
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#addText(text));
    response.once("end", () => {
      this.#isComplete = true;
      this.#advance();
    });
    response.on("error", (error) => this.#break(error));
    response.once("close", () => this.#break(undefined));
    if (response.destroyed) this.#break(response.errored);
  }

  /** Resolves when the first group has arrived, for the receiver. @throws AppError when there will be none. */
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.start({
        onPiece: (group) => {
          this.#first = group;
          this.pause();
          resolve();
        },
        onEnd: reject,
      });
    });
  }

  start(receiver: Receiver<Group>): void {
    this.#receiver = receiver;
    this.resume();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#advance();
    if (this.#isClosed || this.#isPaused) return;
    this.#silence.touch();
    if (this.#response.isPaused()) this.#response.resume();
  }

  stop(): void {
    this.#receiver = undefined;
    this.#close();
  }

  #addText(text: string): void {
    if (this.#isClosed || this.#reply.isOver) return;
    // All that arrives at the same moment is read together, so that it can leave together.
    if (this.#text === "") queueMicrotask(this.#advanceSoon);
    this.#text += text;
    if (this.#isPaused) this.#response.pause();
  }

  #break(cause: unknown): void {
    if (this.#isComplete) return;
    this.#failure ??= connectionFailure(cause);
    this.#advance();
  }

  #endSilence(): void {
    if (this.#isPaused) return;
    const { silenceMilliseconds } = this.#options;
    this.#response.destroy(new BackendTimeout(`The model made nothing for ${silenceMilliseconds} ms.`));
  }

  /** Passes the waiting groups to the receiver. */
  #advance(): void {
    while (this.#receiver && !this.#isPaused) {
      let group: Group | undefined;
      try {
        group = this.#next();
      } catch (thrown) {
        this.#end(this.#options.asFailure(thrown));
        return;
      }
      if (group) {
        if (!this.#isClosed) this.#silence.touch();
        this.#receiver.onPiece(group);
      } else if (this.#isClosed) this.#end(undefined);
      else return;
    }
  }

  #end(failure: AppError | undefined): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    this.#close();
    receiver?.onEnd(failure);
  }

  /** The next group, if any. Groups before a failure are not lost, however closely it followed. */
  #next(): Group | undefined {
    const first = this.#first;
    this.#first = undefined;
    if (first || this.#isClosed) return first;
    this.#read();
    const events = this.#reply.take();
    if (events) return events;
    if (this.#failure !== undefined && !this.#isMerelyLate()) throw this.#failure;
    if (this.#failure === undefined && !this.#isComplete && !this.#reply.isOver) return undefined;
    const last = this.#reply.end();
    this.#close();
    return last;
  }

  #read(): void {
    // What follows on an event that cannot be used is not read.
    if (this.#failure instanceof AppError) return;
    const text = this.#text;
    this.#text = "";
    try {
      if (text !== "") this.#reply.read(text);
      if (this.#isComplete) this.#reply.readEnd();
    } catch (error) {
      this.#failure = toAppError(error);
    }
  }

  /** A connection that fails after the finish only loses the token counts. */
  #isMerelyLate(): boolean {
    const isConnections =
      this.#failure instanceof BackendTimeout || this.#failure instanceof BackendUnreachable;
    return this.#reply.isFinished && isConnections;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#silence.stop();
    if (this.#reply.isOver || this.#isComplete) release(this.#response);
    else this.#response.destroy();
    if (this.#reply.hasShownThought) logger.warn("chat.thought_shown", { model: this.#options.model });
  }
}
