import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { type CutPoint, pointSpacing } from "../../../shared/audio/reading/piece.ts";

/** What a piece may be. */
export interface PieceLimits {
  readonly maxSeconds: number;
  /** What a piece shares with the one before it. */
  readonly overlapSeconds: number;
  readonly maxBytes: number;
}

/** A piece, by its ends. */
export interface Span {
  readonly from: CutPoint;
  readonly to: CutPoint;
}

/** A list of pieces is kept, and each of them is work: 62 hours. */
const maxPieces = 400;

/** A short piece, as of uncompressed sound with many channels, shares no more of its length. */
const maxOverlap = 1 / 4;

const tooFewPoints = "The audio cannot be cut into pieces: its packets are too large.";

const secondsOf = ({ from, to }: Span): number => to.endsAt - from.startsAt;

/**
 * Chooses pieces while the places pass by at which a recording may be cut; it keeps those of two pieces.
 *
 * Each piece is as long as it may be. When the last one would be less than half of the one before, the two are made alike:
 * a model understands more of minutes than of seconds.
 */
export class PiecePlanner {
  readonly #limits: PieceLimits;
  readonly #spans: Span[] = [];
  /** The places in the piece that is being made; it starts at the first. */
  #points: CutPoint[] = [];
  /** The places in the piece before it. */
  #previous: CutPoint[] = [];

  constructor(limits: PieceLimits) {
    this.#limits = limits;
  }

  /** @throws UnreadableAudioError when there is no place to cut within a piece's size, or there are too many pieces */
  add(point: CutPoint): void {
    const last = this.#points.at(-1);
    if (last && point.startsAt < last.startsAt + pointSpacing) return;
    while (!this.#fits(point)) this.#close(point);
    this.#points.push(point);
  }

  /** All pieces of a recording that ends here. */
  finish(end: CutPoint): readonly Span[] {
    while (!this.#fits(end)) this.#close(end);
    const [from] = this.#points;
    if (from) this.#spans.push({ from, to: end });
    this.#levelLastTwo();
    return this.#spans;
  }

  #fits(point: CutPoint): boolean {
    const [from] = this.#points;
    return !from || (this.#isSmall(from, point) && point.endsAt - from.startsAt <= this.#limits.maxSeconds);
  }

  #isSmall(from: CutPoint, to: CutPoint): boolean {
    return to.bytes - from.bytes <= this.#limits.maxBytes;
  }

  #overlapOf(span: Span): number {
    return Math.min(this.#limits.overlapSeconds, secondsOf(span) * maxOverlap);
  }

  /** Ends the piece before a place that it does not reach, and starts the next one. */
  #close(beyond: CutPoint): void {
    const [from, ...rest] = this.#points;
    const to = rest.at(-1);
    if (!from || !to) {
      if (from && !this.#isSmall(from, beyond)) {
        throw new UnreadableAudioError(tooFewPoints);
      }
      // No packet plays as long as a piece: here is a pause that nobody recorded.
      if (from) this.#spans.push({ from, to: beyond });
      this.#points = [];
      return;
    }
    // What was shared with the piece before is too much for a piece together with what follows.
    if (to === this.#spans.at(-1)?.to) {
      this.#points = [to];
      return;
    }
    const span = { from, to };
    this.#spans.push(span);
    if (this.#spans.length > maxPieces) {
      throw new UnreadableAudioError("The audio is too long: it would take too many pieces.");
    }
    this.#previous = this.#points;
    const sharedFrom = to.endsAt - this.#overlapOf(span);
    const next = this.#points.findLastIndex(({ startsAt }) => startsAt <= sharedFrom);
    this.#points = this.#points.slice(Math.max(1, next));
    if ((this.#points[0]?.startsAt ?? 0) > to.endsAt) throw new UnreadableAudioError(tooFewPoints);
  }

  #levelLastTwo(): void {
    const [before, last] = this.#spans.slice(-2);
    if (!before || !last || secondsOf(last) >= secondsOf(before) / 2) return;
    const overlap = this.#overlapOf(before);
    const middle = (before.from.startsAt + last.to.endsAt) / 2;
    const to = this.#previous.findLast(({ endsAt }) => endsAt <= middle + overlap / 2);
    const from = to && this.#previous.findLast(({ startsAt }) => startsAt <= to.endsAt - overlap);
    const isBetter =
      from &&
      from.startsAt > before.from.startsAt &&
      this.#previous.includes(last.from) &&
      this.#isSmall(from, last.to);
    if (isBetter) this.#spans.splice(-2, 2, { from: before.from, to }, { from, to: last.to });
  }
}
