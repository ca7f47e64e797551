import { BackendRefusal } from "./failures.ts";

/** What came back. */
export interface SocketResponse {
  readonly statusCode: number;
  readonly body: string;
}

/** A response, and the state of its connection: how long it may be idle before its next use, if it can be reused. */
export type ReadResponse = SocketResponse & { readonly idleMilliseconds: number };

/** Reads one response. Both methods return it once it is complete, and throw when it is malformed or ambiguous. */
export interface ResponseReader {
  take(piece: Buffer): ReadResponse | undefined;
  /** Nothing more will come. */
  end(): ReadResponse;
}

const maxHeadBytes = 65_536;
const maxLineLength = 4_096;
const empty = Buffer.alloc(0);

/** The maximum idle time of a connection. */
const maxIdleMilliseconds = 60_000;

/** A whole head, of which every line is one: what two readers could understand in two ways is not understood. */
const headPattern =
  /^HTTP\/1\.(?<minor>[01]) (?<status>[1-5]\d\d)(?: [^\r\n]*)?(?:\r\n[!#$%&'*+.^_`|~\w-]+:[^\r\n\0]*)*$/;
const framingPattern =
  /\r\n(content-length|transfer-encoding|connection|keep-alive):[ \t]*([^\r\n]*?)[ \t]*(?=\r\n|$)/gi;

/** The size of a chunk, and extensions, which are ignored. */
const chunkPattern = /^([0-9a-f]{1,8})[ \t]*(?:;[ \t]*[!#$%&'*+.^_`|~\w-][\t\x20-\x7e]*)?$/i;

/** How long a connection may be idle, by what its server says: a second less, as closing takes its time as well. */
const readIdle = (keepAlive: string): number => {
  const seconds = /(?:^|[,; ])timeout=(\d{1,6})(?!\d)/i.exec(keepAlive)?.[1];
  return seconds === undefined
    ? maxIdleMilliseconds
    : Math.min(maxIdleMilliseconds, Math.max(0, Number(seconds) - 1) * 1_000);
};

/** The length of a body (RFC 9112, 6.3), which without one reaches to the end of the connection. */
const readLength = (framing: readonly string[]): number | "chunked" | "to the end" => {
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
  let idleMilliseconds = minor === "1" ? maxIdleMilliseconds : 0;
  for (const [, name = "", value = ""] of text.matchAll(framingPattern)) {
    const lowerCaseName = name.toLowerCase();
    if (lowerCaseName === "keep-alive") idleMilliseconds = Math.min(idleMilliseconds, readIdle(value));
    else if (lowerCaseName !== "connection") framing.push(`${lowerCaseName} ${value.toLowerCase()}`);
    else if (/\bclose\b/i.test(value)) idleMilliseconds = 0;
  }
  const length = statusCode === 204 || statusCode === 304 ? 0 : readLength(framing);
  return { statusCode, length, idleMilliseconds };
};

/** Returns a reader for the next response of a connection. */
export const readResponse = (maxBytes: number): ResponseReader => {
  let head: ReturnType<typeof readHead> | undefined;
  let unread: Buffer = empty;
  const parts: Buffer[] = [];
  let size = 0;
  /** Of a body in chunks: what comes next, and how much of the chunk is still to come. */
  let next: "size" | "chunk" | "line end" | "trailer" = "size";
  let left = 0;

  const takeUntil = (mark: string, maxLength: number): string | undefined => {
    const end = unread.indexOf(mark, 0, "latin1");
    if (end > maxLength || (end < 0 && unread.length > maxLength))
      throw new Error("A line of the response does not end.");
    if (end < 0) return undefined;
    const text = unread.toString("latin1", 0, end);
    unread = unread.subarray(end + mark.length);
    return text;
  };

  const takeBody = (max: number): number => {
    const part = unread.length <= max ? unread : unread.subarray(0, max);
    unread = unread.subarray(part.length);
    size += part.length;
    if (size > maxBytes) throw new RangeError(`The response is larger than ${maxBytes} bytes.`);
    parts.push(part);
    return part.length;
  };

  /** @returns whether the last chunk has come. */
  const takeChunks = (): boolean => {
    for (;;) {
      if (next === "chunk") {
        left -= takeBody(left);
        if (left > 0) return false;
        next = "line end";
      }
      const line = takeUntil("\r\n", maxLineLength);
      if (line === undefined) return false;
      if (next === "size") {
        const digits = chunkPattern.exec(line)?.[1];
        if (digits === undefined) throw new Error("A chunk does not say how long it is.");
        left = Number.parseInt(digits, 16);
        next = left === 0 ? "trailer" : "chunk";
      } else if (line === "") {
        if (next === "trailer") return true;
        next = "size";
      } else if (next === "line end") throw new Error("A chunk is longer than it says.");
    }
  };

  const takeHead = () => {
    for (;;) {
      const text = takeUntil("\r\n\r\n", maxHeadBytes);
      if (text === undefined) return undefined;
      const read = readHead(text);
      // The response follows informational ones.
      if (read.statusCode >= 200) return read;
    }
  };

  const isWhole = (length: number | "chunked" | "to the end"): boolean => {
    if (length === "chunked") return takeChunks();
    if (length === "to the end") {
      takeBody(unread.length);
      return false;
    }
    if (length > maxBytes) throw new RangeError(`The response is larger than ${maxBytes} bytes.`);
    takeBody(length - size);
    return size === length;
  };

  const resultOf = (statusCode: number, idleMilliseconds: number): ReadResponse => {
    const [only = empty, ...others] = parts;
    const body = (others.length === 0 ? only : Buffer.concat(parts)).toString();
    // Unrequested bytes would be read as the start of the next response.
    return { statusCode, body, idleMilliseconds: unread.length === 0 ? idleMilliseconds : 0 };
  };

  return {
    take: (piece) => {
      unread = unread.length === 0 ? piece : Buffer.concat([unread, piece]);
      head ??= takeHead();
      return head && isWhole(head.length) ? resultOf(head.statusCode, head.idleMilliseconds) : undefined;
    },
    end: () => {
      if (head?.length === "to the end") return resultOf(head.statusCode, 0);
      throw new Error("The server closed the connection.");
    },
  };
};
