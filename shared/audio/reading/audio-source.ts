import { setImmediate as nextTurn } from "node:timers/promises";
import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import { UnreadableAudioError } from "./audio-errors.ts";
import { ReadingBudget } from "./reading-budget.ts";

/** A source for bytes already in memory; nothing is copied. */
export const bufferSource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
});

/** How much a scan takes at once: the bound on memory, and few requests for a source behind a network. */
export const scanBytes = 1 << 20;

/** Read at least this much, because what follows a header is nearly always wanted next. */
const minBytes = 1 << 16;

/**
 * A piece of a source in memory, at most `scanBytes` long. Each load first yields to the event loop: a scan of a
 * hundred megabytes must not block other work, and already resolved promises would.
 */
export class SourceWindow {
  readonly #source: ByteSource;
  readonly #signal: AbortSignal | undefined;
  readonly #budget: ReadingBudget;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  /** @param budget of everything that is read of the file */
  constructor(source: ByteSource, signal?: AbortSignal, budget = new ReadingBudget()) {
    this.#source = source;
    this.#signal = signal;
    this.#budget = budget;
  }

  get size(): number {
    return this.#source.size;
  }

  /** A window on the same source, for reading at two positions in turn; it starts with the piece in memory. */
  sibling(): SourceWindow {
    const window = new SourceWindow(this.#source, this.#signal, this.#budget);
    window.#start = this.#start;
    window.#bytes = this.#bytes;
    return window;
  }

  /** A window on a part of the file, which counts from its start; reading it costs what reading the file costs. */
  part(start: number, end = this.size): SourceWindow {
    const part = {
      size: end - start,
      read: (from: number, until: number) => this.read(start + from, until - from),
    };
    return new SourceWindow(part, this.#signal, ReadingBudget.forBackgroundWork());
  }

  /**
   * The bytes from `offset`, fewer than `length` only at the end of the source. They stay valid after later reads.
   * @throws UnreadableAudioError when the source returns less than its size promises, or the budget is used up.
   */
  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#budget.countRead();
    const end = Math.min(this.size, offset + length);
    if (offset < 0 || offset >= end) return new Uint8Array(0);
    if (offset < this.#start || end > this.#start + this.#bytes.length) await this.#load(offset, end);
    return this.#bytes.subarray(offset - this.#start, end - this.#start);
  }

  async #load(start: number, end: number): Promise<void> {
    // A small file is read once, as a whole.
    const isSmall = this.size <= scanBytes;
    const from = isSmall ? 0 : start;
    const until = isSmall ? this.size : Math.min(this.size, Math.max(end, start + minBytes));
    this.#budget.countBytes(until - from, this.size);
    this.#budget.pause();
    await nextTurn();
    this.#signal?.throwIfAborted();
    const bytes = await this.#source.read(from, until);
    this.#budget.resume();
    if (bytes.length !== until - from) {
      throw new UnreadableAudioError("The audio ended before its declared size.");
    }
    this.#start = from;
    this.#bytes = bytes;
  }
}

/** The bytes from `start` to `end`, in pieces. */
export async function* copyRange(
  window: SourceWindow,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  for (let offset = start; offset < end; offset += scanBytes) {
    const piece = await window.read(offset, Math.min(scanBytes, end - offset));
    if (piece.length === 0) return;
    yield piece;
  }
}
