/** Reads a stream of bytes in portions of the reader's choice, and buffers no more of it than requested. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #ahead: Buffer = Buffer.alloc(0);
  #position = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** How many bytes have been read so far. */
  get position(): number {
    return this.#position;
  }

  /** The next bytes, which stay to be read; fewer when the stream ends before. */
  async peek(count: number): Promise<Buffer> {
    const chunks = this.#ahead.length === 0 ? [] : [this.#ahead];
    let length = this.#ahead.length;
    while (length < count) {
      const { done, value } = await this.#source.next();
      if (done === true) break;
      chunks.push(value);
      length += value.length;
    }
    const [only, ...more] = chunks;
    this.#ahead = only !== undefined && more.length === 0 ? only : Buffer.concat(chunks);
    return this.#ahead.subarray(0, count);
  }

  /** The next bytes; fewer when the stream ends before. */
  async read(count: number): Promise<Buffer> {
    const bytes = await this.peek(count);
    this.#ahead = this.#ahead.subarray(bytes.length);
    this.#position += bytes.length;
    return bytes;
  }

  /** The next bytes, or all that are left, in the chunks in which they come. */
  async *readChunks(count = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    const end = this.#position + count;
    while (this.#position < end) {
      const [next] = await this.peek(1);
      if (next === undefined) return;
      yield await this.read(Math.min(this.#ahead.length, end - this.#position));
    }
  }

  /** Passes over the next bytes, or all that are left. */
  async skip(count = Number.POSITIVE_INFINITY): Promise<void> {
    for await (const _chunk of this.readChunks(count));
  }
}
