import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/**
 * The body of a streamed response, as the caller of the function reads it: never faster than that caller does.
 *
 * A caller that destroys it breaks the connection to the function, which is all a function can notice.
 */
export class ResponseBody extends Readable {
  /** Resolved at the first byte with `true`, or with `false` when the response is over without one. */
  readonly started: Promise<boolean>;
  readonly #request: IncomingMessage;
  readonly #started = Promise.withResolvers<boolean>();
  #error: Error | undefined;

  constructor(request: IncomingMessage) {
    // One chunk at a time, so that the connection itself holds the function back.
    super({ highWaterMark: 1 });
    this.#request = request;
    this.started = this.#started.promise;
    request.on("data", (chunk: Buffer) => {
      this.#started.resolve(true);
      if (!this.push(chunk)) request.pause();
    });
    // A broken connection closes the request as well, and that is where it is dealt with.
    request.on("error", () => {});
    // A failure nobody is reading for must not take the service down; readers see it all the same.
    this.on("error", () => {});
    this.read(0);
  }

  /** Ends the body once all its bytes have been read: with an error if there was a failure. */
  finish(failure: string | undefined): void {
    this.#started.resolve(false);
    if (failure === undefined) {
      this.push(null);
    } else {
      this.#error = new Error(failure);
      if (this.readableLength === 0) this.destroy(this.#error);
    }
  }

  override _read(): void {
    if (this.#error === undefined) this.#request.resume();
    else this.destroy(this.#error);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#request.destroy();
    callback(error);
  }
}
