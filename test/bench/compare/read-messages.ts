/** Events of a connection: the head of a message, its body in pieces, its end. */
export interface MessageListener {
  /** The request or status line and the headers, without the empty line after them. */
  head(head: string): void;
  /** A part of the body, without the framing of chunks. It is valid only during the call. */
  body(piece: Buffer): void;
  end(): void;
}

/** Which messages may come without saying how long they are: requests then have no body. */
export type MessageKind = "request" | "response";

const headEnd = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");

/** No head of these benchmarks comes near it; without a bound a server that never ends a line would fill the memory. */
const maxHeadBytes = 65_536;

const lengthOf = (head: string, kind: MessageKind): number | "chunked" => {
  if (/\r\ntransfer-encoding: *chunked *(?:\r\n|$)/i.test(head)) return "chunked";
  const length = /\r\ncontent-length: *(\d+) *(?:\r\n|$)/i.exec(head)?.[1];
  if (length === undefined && kind === "response") throw new Error("A response has no length.");
  return Number(length ?? 0);
};

/**
 * Reads the HTTP/1.1 messages of one connection. Node's own parser costs several times as much, and the load
 * generator must not dominate the measurement.
 *
 *
 * @returns a function that takes the connection's data; it throws an Error when that is not HTTP or a length is
 * missing.
 */
export const readMessages = (kind: MessageKind, listener: MessageListener): ((piece: Buffer) => void) => {
  let state: "head" | "body" | "chunk-size" | "chunk" | "chunk-end" | "trailer" = "head";
  /** The rest of the body, or of the chunk. */
  let left = 0;
  let unread: Buffer = Buffer.alloc(0);

  const takeUntil = (mark: Buffer): string | undefined => {
    const at = unread.indexOf(mark);
    if (at < 0) {
      if (unread.length > maxHeadBytes) throw new Error("A head or a line of it does not end.");
      return undefined;
    }
    const text = unread.toString("latin1", 0, at);
    unread = unread.subarray(at + mark.length);
    return text;
  };

  const end = (): void => {
    state = "head";
    listener.end();
  };

  const takeHead = (): boolean => {
    const head = takeUntil(headEnd);
    if (head === undefined) return false;
    const length = lengthOf(head, kind);
    listener.head(head);
    if (length === "chunked") state = "chunk-size";
    else if (length === 0) end();
    else {
      state = "body";
      left = length;
    }
    return true;
  };

  const takeBody = (): boolean => {
    if (unread.length === 0) return false;
    const piece = unread.length <= left ? unread : unread.subarray(0, left);
    left -= piece.length;
    unread = unread.subarray(piece.length);
    listener.body(piece);
    if (left > 0) return false;
    if (state === "chunk") state = "chunk-end";
    else end();
    return true;
  };

  const takeChunkSize = (): boolean => {
    const line = takeUntil(lineEnd);
    if (line === undefined) return false;
    const size = /^[0-9a-f]+(?=;|$)/i.exec(line)?.[0];
    if (size === undefined) throw new Error(`A chunk begins with ${JSON.stringify(line.slice(0, 40))}.`);
    left = Number.parseInt(size, 16);
    state = left === 0 ? "trailer" : "chunk";
    return true;
  };

  const takeChunkEnd = (): boolean => {
    if (unread.length < lineEnd.length) return false;
    if (takeUntil(lineEnd) !== "") throw new Error("A chunk is longer than it says.");
    state = "chunk-size";
    return true;
  };

  const takeTrailer = (): boolean => {
    const line = takeUntil(lineEnd);
    if (line === undefined) return false;
    if (line === "") end();
    return true;
  };

  const steps = {
    head: takeHead,
    body: takeBody,
    "chunk-size": takeChunkSize,
    chunk: takeBody,
    "chunk-end": takeChunkEnd,
    trailer: takeTrailer,
  };
  return (piece) => {
    unread = unread.length === 0 ? piece : Buffer.concat([unread, piece]);
    while (unread.length > 0 && steps[state]());
  };
};
