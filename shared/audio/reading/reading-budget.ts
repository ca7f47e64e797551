import { UnreadableAudioError } from "./audio-errors.ts";

/**
 * More than any honest file needs: sixteen hours of MP4 in fragments of a second. This many take about a second, and
 * a hundred megabytes of empty boxes would require twenty times as many.
 */
const maxReads = 600_000;

/** Both ends and an index are read before the whole, and some small things twice. */
const maxBytes = (fileSize: number): number => 4 * fileSize + (1 << 24);

/** A file of a hundred megabytes takes two seconds, and a function has a third of a processor. */
const maxMilliseconds = 20_000;

const maxBackgroundMilliseconds = 120_000;

/**
 * The budget for detecting what one file is: a client chooses the bytes, and so the cost of reading them.
 *
 * Time during which the source reads bytes, or the consumer works with the result, is not the file's fault and does
 * not count.
 */
export class ReadingBudget {
  readonly #now: () => number;
  #reads = 0;
  #bytes = 0;
  #endsAt: number;
  #pausedAt: number | undefined;

  constructor(now: () => number = () => performance.now(), milliseconds = maxMilliseconds) {
    this.#now = now;
    this.#endsAt = now() + milliseconds;
  }

  /** For background work: all of a file of 500 MB with a third of a processor. */
  static forBackgroundWork(now?: () => number): ReadingBudget {
    return new ReadingBudget(now, maxBackgroundMilliseconds);
  }

  /** Counts one read of the file. @throws UnreadableAudioError when there were too many, or they took too long. */
  countRead(): void {
    this.#reads += 1;
    if (this.#reads > maxReads) {
      throw new UnreadableAudioError("The audio is damaged: it has too many parts to read.");
    }
    if (this.#now() > this.#endsAt) {
      throw new UnreadableAudioError(
        "The audio takes too long to read: it is not laid out like a recording.",
      );
    }
  }

  /**
   * Counts bytes that are fetched from the source, each of which may be a request over a network.
   * @throws UnreadableAudioError when the file is fetched again and again.
   */
  countBytes(bytes: number, fileSize: number): void {
    this.#bytes += bytes;
    if (this.#bytes > maxBytes(fileSize)) {
      throw new UnreadableAudioError("The audio is damaged: its parts are out of order.");
    }
  }

  pause(): void {
    this.#pausedAt = this.#now();
  }

  resume(): void {
    if (this.#pausedAt !== undefined) this.#endsAt += this.#now() - this.#pausedAt;
    this.#pausedAt = undefined;
  }
}
