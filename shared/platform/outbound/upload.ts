import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import type { ByteSource } from "./byte-source.ts";
import { BackendOverdue, BackendTimeout } from "./failures.ts";
import { openExchange, type RequestHead, readBody } from "./http-client.ts";
import { retryAfterOf, type WholeResponse } from "./read-response.ts";
import { awaitActivity } from "./timeouts.ts";

/** A body that is sent piece by piece. */
export interface UploadBody {
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** Produces the whole body, from its start, on each call. */
  pieces(): AsyncIterable<Uint8Array>;
}

export interface UploadOptions extends Omit<RequestHead, "method"> {
  readonly body: UploadBody;
  /** How long the server may take no more bytes while it is sent the body. */
  readonly stallMilliseconds: number;
  /** How long the server may take from the end of the body to the end of its response. */
  readonly silenceMilliseconds: number;
  /** Called with the text of an event stream response as it arrives, in any pieces. */
  readonly onEvents?: ((text: string) => void) | undefined;
}

/** More than the longest transcription with its segments. */
const maxResponseBytes = 16 * 1024 * 1024;

/** A piece is sent in slices, to see that a slow server makes progress. */
const sliceBytes = 64 * 1024;

/**
 * Posts a large body and reads the response, in flat memory and at the server's pace.
 *
 * The time that the body's source takes counts for neither of the two timeouts.
 *
 * @throws BackendTimeout, BackendUnreachable, RangeError when the response is too large, the signal's reason, or what
 * reading the body throws.
 */
export const sendUpload = async (options: UploadOptions): Promise<WholeResponse> => {
  const { url, headers, body, silenceMilliseconds, signal, onSent } = options;
  const exchange = openExchange({
    url,
    method: "POST",
    headers: { ...headers, "Content-Type": body.contentType, "Content-Length": String(body.size) },
    signal,
    onSent,
  });
  const { request, response, end } = exchange;
  const sending = new AbortController();
  try {
    // A server may respond before it has the whole body, mostly to refuse it.
    await Promise.race([response, sendPieces(request, options, end, sending.signal)]);
    const { promise: overdue, reject } = Promise.withResolvers<never>();
    const onIdle = (): void => {
      const timeout = new BackendOverdue(silenceMilliseconds);
      timeout.ended = abandon(request, head);
      reject(timeout);
    };
    let head: IncomingMessage | undefined;
    const whole = async (): Promise<WholeResponse> => {
      head = await response;
      handOnEvents(head, options);
      return {
        statusCode: head.statusCode ?? 0,
        body: await readBody(head, maxResponseBytes),
        retryAfterSeconds: retryAfterOf(head.headers["retry-after"]),
      };
    };
    const activity = Promise.race([whole(), overdue]);
    return await awaitActivity(activity, { milliseconds: silenceMilliseconds, onIdle });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    sending.abort();
    // A connection on which a part of the body is missing is of no more use.
    if (!request.writableFinished) request.destroy();
  }
};

/** How long a server's end of an abandoned connection stays open. */
const maxAbandonedMilliseconds = 300_000;

/**
 * Ends our side of a connection whose response is no longer wanted. A server that stops to work for it, or has done its work, ends the
 * other side.
 *
 * @returns when that has happened.
 */
const abandon = (request: ClientRequest, head: IncomingMessage | undefined): Promise<void> =>
  new Promise((resolve) => {
    const { socket } = request;
    if (!socket || socket.destroyed || request.destroyed) {
      resolve();
      return;
    }
    const timer = setTimeout(() => request.destroy(), maxAbandonedMilliseconds);
    timer.unref();
    request.once("response", (message) => message.destroy());
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    if (head) head.destroy();
    else socket.end();
  });

/** A listener's error must not end the exchange: it ends the response, and reading that throws it. */
const handOnEvents = (head: IncomingMessage, { onEvents }: UploadOptions): void => {
  if (!onEvents || head.statusCode !== 200) return;
  if (!/^text\/event-stream\b/i.test(head.headers["content-type"] ?? "")) return;
  const decoder = new StringDecoder("utf8");
  head.on("data", (piece: Buffer) => {
    try {
      onEvents(decoder.write(piece));
    } catch (error) {
      head.destroy(
        error instanceof Error ? error : new Error("The events could not be read.", { cause: error }),
      );
    }
  });
};

/** Ends without an error when the exchange ends before the body: the exchange itself reports why. */
const sendPieces = async (
  request: ClientRequest,
  { body, stallMilliseconds }: UploadOptions,
  end: (reason: Error) => void,
  stop: AbortSignal,
): Promise<void> => {
  for await (const piece of body.pieces()) {
    for (let start = 0; start < piece.length; start += sliceBytes) {
      if (stop.aborted || request.destroyed) return;
      if (request.write(piece.subarray(start, start + sliceBytes))) continue;
      const stalled = new BackendTimeout(`The server took nothing for ${stallMilliseconds} ms.`);
      const drained = once(request, "drain", { signal: stop }).catch(() => undefined);
      await awaitActivity(drained, { milliseconds: stallMilliseconds, onIdle: () => end(stalled) });
    }
  }
  request.end();
};

/** Few requests for a source behind a network, and little memory. */
const pieceBytes = 2 * 1024 * 1024;

/** Reads a source from its start to its end. While one piece is being sent, the next is read. */
async function* readAhead(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  const readFrom = (start: number): Promise<Uint8Array> | undefined => {
    if (start >= source.size) return undefined;
    const piece = source.read(start, Math.min(source.size, start + pieceBytes));
    // A failure is thrown when the piece is awaited; until then it must not count as unhandled.
    piece.catch(() => undefined);
    return piece;
  };
  let next = readFrom(0);
  for (let start = pieceBytes; next; start += pieceBytes) {
    const piece = await next;
    next = readFrom(start);
    yield piece;
  }
}

export interface FilePart {
  readonly fieldName: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly source: ByteSource;
}

/**
 * A `multipart/form-data` body (RFC 7578) with its fields first and its file last, so that a server knows what is
 * wanted of the file before it comes. The file is read while it is sent.
 */
export const multipartForm = (
  fields: readonly (readonly [name: string, value: string])[],
  { fieldName, fileName, mediaType, source }: FilePart,
): UploadBody => {
  const boundary = `form-${randomUUID()}`;
  const part = (disposition: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${content}`;
  const prefix = Buffer.from(
    fields.map(([name, value]) => part(`name="${name}"`, `\r\n${value}\r\n`)).join("") +
      part(`name="${fieldName}"; filename="${fileName}"`, `Content-Type: ${mediaType}\r\n\r\n`),
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    size: prefix.length + source.size + end.length,
    async *pieces() {
      yield prefix;
      yield* readAhead(source);
      yield end;
    },
  };
};
