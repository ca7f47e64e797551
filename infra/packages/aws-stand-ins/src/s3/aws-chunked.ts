import { S3Error } from "./s3-error.ts";

const carriageReturnLineFeed = "\r\n";
// A chunk header is a hex number and a trailer one checksum; more than this is not aws-chunked.
const maxLineLength = 1024;

/** Cuts a byte stream into lines and counted runs without holding more than one incoming chunk. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #unread: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async #readMore(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#unread = this.#unread.length === 0 ? next.value : Buffer.concat([this.#unread, next.value]);
    return true;
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#unread.indexOf(carriageReturnLineFeed);
      if (end !== -1 && end <= maxLineLength) {
        const line = this.#unread.toString("latin1", 0, end);
        this.#unread = this.#unread.subarray(end + 2);
        return line;
      }
      if (this.#unread.length > maxLineLength || !(await this.#readMore()))
        throw new S3Error("IncompleteBody");
    }
  }

  async *take(size: number): AsyncGenerator<Buffer> {
    let left = size;
    while (left > 0) {
      if (this.#unread.length === 0 && !(await this.#readMore())) throw new S3Error("IncompleteBody");
      const run = this.#unread.subarray(0, left);
      this.#unread = this.#unread.subarray(run.length);
      left -= run.length;
      yield run;
    }
  }

  async atEnd(): Promise<boolean> {
    return this.#unread.length === 0 && !(await this.#readMore());
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

const readTrailers = async (reader: ByteReader, trailers: Map<string, string>): Promise<void> => {
  for (let line = await reader.line(); line !== ""; line = await reader.line()) {
    const colon = line.indexOf(":");
    if (colon === -1) throw new S3Error("MalformedTrailerError");
    trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  if (!(await reader.atEnd())) throw new S3Error("MalformedTrailerError");
};

/**
 * Undoes the `aws-chunked` content encoding (`STREAMING-UNSIGNED-PAYLOAD-TRAILER`), which the SDK uses for every
 * body whose length or checksum it does not know beforehand.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 *
 * @param trailers receives the trailing headers, names in lower case, when the last byte has been read.
 * @throws {S3Error} `IncompleteBody` or `MalformedTrailerError` when the framing is broken.
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  try {
    for (;;) {
      const header = await reader.line();
      if (!/^[0-9a-f]{1,9}$/i.test(header)) throw new S3Error("IncompleteBody");
      const size = Number.parseInt(header, 16);
      if (size === 0) break;
      yield* reader.take(size);
      if ((await reader.line()) !== "") throw new S3Error("IncompleteBody");
    }
    await readTrailers(reader, trailers);
  } finally {
    await reader.close();
  }
}
