import { readKeepAlive } from "./connections.ts";
import { decodeBody } from "./decode-response.ts";
import { BackendRefusal } from "./failures.ts";

/** A complete response. */
export interface WholeResponse {
  readonly statusCode: number;
  readonly body: string;
  /** How long the server wants no further attempt. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The longest wait that is passed on. */
const maxRetryAfterSeconds = 3_600;

/** The seconds of a `Retry-After`, which may be a date (RFC 9110, 10.2.3); at most an hour. */
export const retryAfterOf = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), maxRetryAfterSeconds) : undefined;
};

/** A response, and how long its connection may wait for its next use, if the server says so: 0 when it cannot be reused. */
export type ReadResponse = WholeResponse & { readonly idleMilliseconds: number | undefined };

const maxHeadBytes = 65_536;
const maxLineLength = 4_096;
const empty = Buffer.alloc(0);

/** A whole head without folded lines: what two readers could read differently is refused. */
const headPattern =
  /^HTTP\/1\.(?<minor>[01]) (?<status>[1-5]\d\d)(?: [^\r\n]*)?(?:\r\n[!#$%&'*+.^_`|~\w-]+:[^\r\n\0]*)*$/;
const framingPattern =
  /\r\n(content-length|transfer-encoding|connection|keep-alive|retry-after|content-encoding):[ \t]*([^\r\n]*?)[ \t]*(?=\r\n|$)/gi;

/** The size of a chunk, and extensions, which are ignored. */
const chunkPattern = /^([0-9a-f]{1,8})[ \t]*(?:;[ \t]*[!#$%&'*+.^_`|~\w-][\t\x20-\x7e]*)?$/i;

type BodyLength = number | "chunked" | "to the end";

/** The length of a body (RFC 9112, 6.3). Without one it reaches to the end of the connection. */
const readLength = (framing: readonly string[]): BodyLength => {
  const [only, ...others] = framing;
  if (only === undefined) return "to the end";
  const length = /^content-length (\d{1,15})$/.exec(only)?.[1];
  if (others.length > 0 || (length === undefined && only !== "transfer-encoding chunked")) {
    throw new Error("The response's length is missing or ambiguous.");
  }
  return length === undefined ? "chunked" : Number(length);
};

const readHead = (text: string) => {
  const { minor, status } = headPattern.exec(text)?.groups ?? {};
  if (status === undefined) throw new Error("The response does not start as HTTP/1.1.");
  const statusCode = Number(status);
  // We never request another protocol.
  if (statusCode === 101) throw new BackendRefusal(statusCode);
  const framing: string[] = [];
  let idleMilliseconds = minor === "1" ? undefined : 0;
  let retryAfterSeconds: number | undefined;
  let contentEncoding: string | undefined;
  for (const [, name = "", value = ""] of text.matchAll(framingPattern)) {
    const lowerCaseName = name.toLowerCase();
    if (lowerCaseName === "keep-alive") idleMilliseconds ??= readKeepAlive(value);
    else if (lowerCaseName === "retry-after") retryAfterSeconds = retryAfterOf(value);
    else if (lowerCaseName === "content-encoding") contentEncoding = value;
    else if (lowerCaseName !== "connection") framing.push(`${lowerCaseName} ${value.toLowerCase()}`);
    else if (/\bclose\b/i.test(value)) idleMilliseconds = 0;
  }
  const length = statusCode === 204 || statusCode === 304 ? 0 : readLength(framing);
  return { statusCode, length, idleMilliseconds, retryAfterSeconds, contentEncoding };
};

/** Reads one response of a connection. `take` and `end` throw when it is malformed or ambiguous. */
export class ResponseReader {
  /** Whether a byte of it has come. */
  hasStarted = false;
  readonly #maxBytes: number;
  #head: ReturnType<typeof readHead> | undefined;
  #unread: Buffer = empty;
  readonly #parts: Buffer[] = [];
  #size = 0;
  /** Of a body in chunks: what comes next, and how much of the chunk is still to come. */
  #next: "size" | "chunk" | "line end" | "trailer" = "size";
  #left = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the response once it is complete. */
  take(piece: Buffer): ReadResponse | undefined {
    this.hasStarted = true;
    this.#unread = this.#unread.length === 0 ? piece : Buffer.concat([this.#unread, piece]);
    this.#head ??= this.#takeHead();
    const head = this.#head;
    return head && this.#isWhole(head.length) ? this.#result(head) : undefined;
  }

  /** Returns the response when nothing more will come. */
  end(): ReadResponse {
    if (this.#head?.length === "to the end") return { ...this.#result(this.#head), idleMilliseconds: 0 };
    throw new Error("The server closed the connection.");
  }

  #takeHead(): ReturnType<typeof readHead> | undefined {
    for (;;) {
      const text = this.#takeUntil("\r\n\r\n", maxHeadBytes);
      if (text === undefined) return undefined;
      const head = readHead(text);
      // The response follows informational ones.
      if (head.statusCode >= 200) return head;
    }
  }

  #takeUntil(mark: string, maxLength: number): string | undefined {
    const end = this.#unread.indexOf(mark, 0, "latin1");
    if (end > maxLength || (end < 0 && this.#unread.length > maxLength))
      throw new Error("A line of the response does not end.");
    if (end < 0) return undefined;
    const text = this.#unread.toString("latin1", 0, end);
    this.#unread = this.#unread.subarray(end + mark.length);
    return text;
  }

  #takeBody(max: number): number {
    const part = this.#unread.length <= max ? this.#unread : this.#unread.subarray(0, max);
    this.#unread = this.#unread.subarray(part.length);
    this.#size += part.length;
    if (this.#size > this.#maxBytes) throw this.#tooLarge();
    this.#parts.push(part);
    return part.length;
  }

  #isWhole(length: BodyLength): boolean {
    if (length === "chunked") return this.#takeChunks();
    if (length === "to the end") {
      this.#takeBody(this.#unread.length);
      return false;
    }
    if (length > this.#maxBytes) throw this.#tooLarge();
    this.#takeBody(length - this.#size);
    return this.#size === length;
  }

  /** @returns whether the last chunk has come. */
  #takeChunks(): boolean {
    for (;;) {
      if (this.#next === "chunk") {
        this.#left -= this.#takeBody(this.#left);
        if (this.#left > 0) return false;
        this.#next = "line end";
      }
      const line = this.#takeUntil("\r\n", maxLineLength);
      if (line === undefined) return false;
      if (this.#next === "size") {
        const digits = chunkPattern.exec(line)?.[1];
        if (digits === undefined) throw new Error("A chunk has no valid size.");
        this.#left = Number.parseInt(digits, 16);
        this.#next = this.#left === 0 ? "trailer" : "chunk";
      } else if (line === "") {
        if (this.#next === "trailer") return true;
        this.#next = "size";
      } else if (this.#next === "line end") throw new Error("A chunk is longer than its size.");
    }
  }

  #result(head: ReturnType<typeof readHead>): ReadResponse {
    const { statusCode, idleMilliseconds, retryAfterSeconds, contentEncoding } = head;
    const [only = empty, ...others] = this.#parts;
    const bytes = others.length === 0 ? only : Buffer.concat(this.#parts);
    const body = decodeBody(bytes, contentEncoding, this.#maxBytes).toString();
    // Unrequested bytes would be read as the start of the next response.
    return {
      statusCode,
      body,
      retryAfterSeconds,
      idleMilliseconds: this.#unread.length === 0 ? idleMilliseconds : 0,
    };
  }

  #tooLarge(): RangeError {
    return new RangeError(`The response is larger than ${this.#maxBytes} bytes.`);
  }
}
