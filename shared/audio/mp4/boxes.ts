import type { SourceWindow } from "../reading/audio-source.ts";
import { textAt, uint32BigEndian } from "../reading/bytes.ts";

/** A box of an MP4 file (ISO 14496-12), as a range of the file. */
export interface Box {
  readonly type: string;
  readonly offset: number;
  readonly start: number;
  /** Offset of the content's end, at most that of the parent box. */
  readonly end: number;
  /** False when the file or the parent box ends inside it. */
  readonly isWhole: boolean;
}

/** Enough for any honest file: seven hours in fragments of a second have a hundred thousand. */
const maxBoxes = 250_000;

const shortHead = 8;
const longHead = 16;

/** The boxes between two offsets; one with a false size ends the list. */
export async function* boxesIn(window: SourceWindow, start: number, end: number): AsyncGenerator<Box, void> {
  let offset = start;
  for (let count = 0; count < maxBoxes && offset + shortHead <= end; count += 1) {
    const head = await window.read(offset, longHead);
    const size = sizeOf(head, end - offset);
    const headLength = uint32BigEndian(head, 0) === 1 ? longHead : shortHead;
    if (size < headLength) return;
    const next = offset + size;
    const [start, isWhole] = [offset + headLength, next <= end];
    yield { type: textAt(head, 4, 4), offset, start, end: isWhole ? next : end, isWhole };
    offset = next;
  }
}

/** A size of 0 means "to the end", and 1 that the real one follows. */
const sizeOf = (head: Uint8Array, rest: number): number => {
  const size = uint32BigEndian(head, 0);
  if (size === 0) return rest;
  return size === 1 ? uint32BigEndian(head, 8) * 2 ** 32 + uint32BigEndian(head, 12) : size;
};

/** The first box of each type within a box; an honest one has a dozen. */
export const childBoxes = async (
  window: SourceWindow,
  parent: Box | undefined,
): Promise<ReadonlyMap<string, Box>> => {
  const children = new Map<string, Box>();
  if (!parent) return children;
  for await (const child of boxesIn(window, parent.start, parent.end)) {
    if (!children.has(child.type)) children.set(child.type, child);
    if (children.size > maxChildren) break;
  }
  return children;
};

const maxChildren = 100;

/** The start of a box's content, at most `length` bytes of it; empty when there is no such box. */
export const contentOf = async (
  window: SourceWindow,
  box: Box | undefined,
  length: number,
): Promise<Uint8Array> =>
  box ? window.read(box.start, Math.min(length, box.end - box.start)) : new Uint8Array(0);

/** How much of a table is in memory at a time. */
const pieceBytes = 1 << 18;

/**
 * Reads a table of an MP4 file from its first entry to its last, a piece at a time.
 *
 * An index of hours has millions of entries, and one made to do harm tens of millions: awaiting each would cost more
 * than reading it. So only pieces are awaited: a walk checks `isExhausted` before each entry, and fills the table
 * only then.
 */
export class BoxTable {
  readonly #window: SourceWindow;
  readonly #entryBytes: number;
  #offset: number;
  #remaining: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #position = 0;

  /** @param entries as announced; entries beyond `end` are not read */
  constructor(window: SourceWindow, start: number, end: number, entries: number, entryBytes: number) {
    this.#window = window.sibling();
    this.#offset = start;
    this.#entryBytes = entryBytes;
    this.#remaining = Math.min(entries, Math.floor(Math.max(0, end - start) / entryBytes));
  }

  /** Whether the next piece must be read before it is known whether there is a current entry. */
  get isExhausted(): boolean {
    return !this.isReady && this.#remaining > 0;
  }

  get isReady(): boolean {
    return this.#position < this.#bytes.length;
  }

  /** Reads the next piece. @returns whether there is a current entry. */
  async fill(): Promise<boolean> {
    const entries = Math.min(this.#remaining, Math.floor(pieceBytes / this.#entryBytes));
    const bytes = await this.#window.read(this.#offset, entries * this.#entryBytes);
    this.#bytes = bytes.subarray(0, bytes.length - (bytes.length % this.#entryBytes));
    this.#position = 0;
    this.#offset += this.#bytes.length;
    // A piece shorter than requested is the last one.
    this.#remaining = this.#bytes.length < entries * this.#entryBytes ? 0 : this.#remaining - entries;
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

  advance(): void {
    this.#position += this.#entryBytes;
  }
}
