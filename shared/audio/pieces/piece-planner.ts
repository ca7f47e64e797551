import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { type CutPoint, pointSpacing } from "../reading/piece.ts";

export interface PieceLimits {
  readonly maxSeconds: number;
  /** How much of the piece before it a piece repeats. */
  readonly overlapSeconds: number;
  readonly maxBytes: number;
}

export interface Span {
  readonly from: CutPoint;
  readonly to: CutPoint;
}

/** About 62 hours. Bounds the stored plan and the work. */
const maxPieces = 400;

/** The largest overlap as a share of a piece, for short pieces such as uncompressed audio with many channels. */
const maxOverlap = 1 / 4;

const tooFewPoints = "The audio cannot be cut into pieces: its packets are too large.";

const secondsOf = ({ from, to }: Span): number => to.endsAt - from.startsAt;

/**
 * Chooses pieces from a stream of the points where a recording can be cut, and holds the points of two pieces at a time.
 *
 * Each piece is as long as the limits allow. When the last one is less than half as long as the one before it, the two share
 * their length evenly: models transcribe minutes better than seconds.
 */
export class PiecePlanner {
  readonly #limits: PieceLimits;
  readonly #spans: Span[] = [];
  /** The points of the current piece, which starts at the first one. */
  #points: CutPoint[] = [];
  /** The points of the piece before it. */
  #previous: CutPoint[] = [];

  constructor(limits: PieceLimits) {
    this.#limits = limits;
  }

  /** @throws UnreadableAudioError when no point is within the size of a piece, or there are too many pieces. */
  add(point: CutPoint): void {
    const last = this.#points.at(-1);
    if (last && point.startsAt < last.startsAt + pointSpacing) return;
    while (!this.#fits(point)) this.#close(point);
    this.#points.push(point);
  }

  /** Returns all pieces of a recording that ends at this point. */
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

  /** Ends the current piece before a point that does not fit, and starts the next one. */
  #close(beyond: CutPoint): void {
    const [from, ...rest] = this.#points;
    const to = rest.at(-1);
    if (!from || !to) {
      if (from && !this.#isSmall(from, beyond)) throw new UnreadableAudioError(tooFewPoints);
      // No packet is as long as a piece, so this is a gap in the recording.
      if (from) this.#spans.push({ from, to: beyond });
      this.#points = [];
      return;
    }
    // The overlap and the next packet together exceed a piece: drop the overlap.
    if (to === this.#spans.at(-1)?.to) {
      this.#points = [to];
      return;
    }
    const span = { from, to };
    this.#spans.push(span);
    if (this.#spans.length > maxPieces) {
      throw new UnreadableAudioError("The audio is too long: it would need too many pieces.");
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
