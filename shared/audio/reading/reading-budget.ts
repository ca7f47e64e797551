import { UnreadableAudioError } from "./audio-errors.ts";

/**
 * More than any honest file needs, such as sixteen hours of MP4 in fragments of a second. They take about a second;
 * a hundred megabytes of empty boxes would need twenty times as many.
 */
const maxReads = 600_000;

/** Both ends and an index are read before the whole, and some small things twice. */
const maxBytes = (fileSize: number): number => 4 * fileSize + (1 << 24);

/** A file of a hundred megabytes takes two seconds, and a function has a third of a processor. */
const maxMilliseconds = 20_000;

const maxBackgroundMilliseconds = 120_000;

/**
 * The budget for reading one file: a client chooses the bytes, and so the cost. Time in which the source reads
 * bytes, or the consumer uses the result, does not count.
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
   * Counts bytes fetched from the source, each time perhaps over a network. @throws UnreadableAudioError for too
   * many.
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
