import type { SourceWindow } from "../audio-source.ts";
import { uint32BigEndian } from "../bytes.ts";

/** How much of a table is in memory at a time. */
const pieceBytes = 1 << 18;

/**
 * Reads a table of an MP4 file from its first entry to its last, a piece at a time.
 *
 * An index of hours has millions of entries; waiting for each would cost more than reading it, so that
 * `isReady || await fill()` is asked before each entry, and most answers come at once.
 */
export class Table {
  readonly #window: SourceWindow;
  readonly #entryBytes: number;
  #offset: number;
  #remaining: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #position = 0;

  /** @param entries as announced; what lies beyond `end` is not read */
  constructor(window: SourceWindow, start: number, end: number, entries: number, entryBytes: number) {
    this.#window = window.sibling();
    this.#offset = start;
    this.#entryBytes = entryBytes;
    this.#remaining = Math.min(entries, Math.floor(Math.max(0, end - start) / entryBytes));
  }

  /** Whether there is a current entry in memory. */
  get isReady(): boolean {
    return this.#position < this.#bytes.length;
  }

  /** Reads on. */
  async fill(): Promise<boolean> {
    const entries = Math.min(this.#remaining, Math.floor(pieceBytes / this.#entryBytes));
    const bytes = await this.#window.read(this.#offset, entries * this.#entryBytes);
    this.#bytes = bytes.subarray(0, bytes.length - (bytes.length % this.#entryBytes));
    this.#position = 0;
    this.#offset += this.#bytes.length;
    this.#remaining -= entries;
    return this.isReady;
  }

  /** A number of 32 bits of the current entry. */
  field(index: number): number {
    return uint32BigEndian(this.#bytes, this.#position + index * 4);
  }

  /** The current entry as one number, of 32 or 64 bits. */
  value(): number {
    return this.#entryBytes === 8 ? this.field(0) * 2 ** 32 + this.field(1) : this.field(0);
  }

  /** Makes the next entry the current one. */
  advance(): void {
    this.#position += this.#entryBytes;
  }
}
