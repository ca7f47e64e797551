import { reportError, runtimeError } from "./runtime-api-client.mjs";

/** @import { ClientRequest } from "node:http" */

const { Writable } = process.getBuiltinModule("node:stream");

const preludeEnd = new Uint8Array(8);

/**
 * The stream to which a streaming handler writes its response. It wraps the HTTP request that carries the response,
 * accepts no more than that request's connection does, and ends in one of four ways:
 *
 *
 * - the function ends it: the whole response was sent;
 * - the function fails while it is open (`fail`): what was written is sent, then the error as HTTP trailers;
 * - the function destroys it, which is also what `pipeline()` does when its source fails: the process dies of an
 * unhandled rejection, because AWS's runtime does;
 * - the reader leaves: the stream emits `error` (such as ECONNRESET) and `close`, and nothing else happens.
 */
export class ResponseStream extends Writable {
  /** Whether the reader of the response went away before its end. */
  readerGone = false;
  /** @type {Promise<void>} resolved when the response has been taken, or can no longer be sent */
  completed;
  #request;
  #started = false;
  /** @type {string | undefined} */
  #prelude;

  /**
   * @param {ClientRequest} request not yet sent
   * @param {number | undefined} highWaterMark in bytes
   */
  constructor(request, highWaterMark) {
    super(highWaterMark === undefined ? {} : { highWaterMark });
    this.#request = request;
    this.completed = new Promise((resolve) => request.once("close", resolve));
    request.once("response", (response) => response.resume());
    request.on("error", (error) => this.#loseReader(error));
    // A function need not listen: whether it does or not, a reader that goes away must not end the process.
    this.on("error", () => {});
  }

  /**
   * @param {string} contentType
   * @throws when the response has already started
   */
  setContentType(contentType) {
    if (this.#started) {
      throw runtimeError("Runtime.InvalidStreamingOperation", "Cannot set content-type, too late.");
    }
    this.#request.setHeader("Content-Type", contentType);
  }

  /** @param {string} prelude JSON that precedes the first byte the function writes */
  setPrelude(prelude) {
    this.#prelude = prelude;
  }

  /**
   * The prelude leaves with the first `write`. A response that is only ended, without any write, loses it, as
   * it does on AWS: a function that forgets to write must not look right here and fail there.
   *
   * @override
   * @param {unknown} chunk text, bytes, or any other value to be sent as JSON
   * @param {BufferEncoding | ((error?: Error | null) => void)} [encoding]
   * @param {(error?: Error | null) => void} [callback]
   * @returns {boolean}
   */
  write(chunk, encoding, callback) {
    if (!this.#started) {
      this.#started = true;
      if (this.#prelude !== undefined) {
        super.write(this.#prelude);
        super.write(preludeEnd);
      }
    }
    const data = typeof chunk === "string" || chunk instanceof Uint8Array ? chunk : JSON.stringify(chunk);
    return typeof encoding === "function"
      ? super.write(data, encoding)
      : super.write(data, encoding ?? "utf8", callback);
  }

  /**
   * Ends the response with an error, in trailers because the headers were sent. Without effect on a response that the
   * function has already ended.
   *
   *
   * @param {unknown} error
   */
  fail(error) {
    if (this.writableEnded || this.destroyed) return;
    const report = reportError(error);
    this.#request.addTrailers({
      "Lambda-Runtime-Function-Error-Type": report.errorType,
      "Lambda-Runtime-Function-Error-Body": Buffer.from(JSON.stringify(report)).toString("base64"),
    });
    this.end();
  }

  /**
   * @override
   * @param {Buffer} chunk
   * @param {BufferEncoding} _encoding
   * @param {() => void} callback
   */
  _write(chunk, _encoding, callback) {
    if (this.#request.write(chunk)) callback();
    else this.#request.once("drain", callback);
  }

  /**
   * @override
   * @param {() => void} callback
   */
  _final(callback) {
    this.#request.end(callback);
  }

  /**
   * @override
   * @param {Error | null} error
   * @param {(error: Error | null) => void} callback
   */
  _destroy(error, callback) {
    if (this.readerGone) {
      callback(error);
    } else if (error === null && this.writableFinished) {
      void this.completed.then(() => callback(null));
    } else {
      const reason = error ?? new Error("The function destroyed its response stream before the end.");
      this.#request.destroy(reason);
      callback(reason);
      // Left unhandled on purpose: AWS's runtime client dies of this very rejection.
      void Promise.reject(reason);
    }
  }

  /** @param {Error} error */
  #loseReader(error) {
    if (this.destroyed) return;
    this.readerGone = true;
    this.destroy(error);
  }
}

/** The marks AWS's runtime leaves on a streaming handler; global symbols, so that libraries can read them. */
export const streamingSymbol = Symbol.for("aws.lambda.runtime.handler.streaming");
export const highWaterMarkSymbol = Symbol.for("aws.lambda.runtime.handler.streaming.highWaterMark");

const integrationResponse = "application/vnd.awslambda.http-integration-response";

/** The global object `awslambda` that AWS's Node.js runtime defines for functions. */
export const awslambda = {
  /**
   * @template {(...parameters: never[]) => unknown} Handler
   * @param {Handler} handler
   * @param {{ highWaterMark?: number }} [options]
   */
  streamifyResponse(handler, options) {
    const marks = { [streamingSymbol]: "response", [highWaterMarkSymbol]: options?.highWaterMark };
    return Object.assign(handler, marks);
  },

  HttpResponseStream: {
    /**
     * Puts status code, headers and cookies in front of a streamed HTTP response.
     *
     * @param {ResponseStream} stream
     * @param {object} metadata
     */
    from(stream, metadata) {
      stream.setContentType(integrationResponse);
      stream.setPrelude(JSON.stringify(metadata));
      return stream;
    },
  },
};
