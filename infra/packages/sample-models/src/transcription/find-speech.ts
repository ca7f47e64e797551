/** A part of a recording; seconds from its beginning. */
export type Span = { readonly start: number; readonly end: number };

/** What the sample server can tell of an audio file without understanding it. */
export type Recording = {
  readonly durationSeconds: number;
  /** Where there is speech; empty when the recording is silent. */
  readonly speech: readonly Span[];
  /** The text of a file that the sample server itself has spoken. */
  readonly spokenText?: string;
};

/** Nothing below this is speech (-46 dB of full scale): the noise of a quiet room. */
const quietest = 164;

/** Pauses up to this long belong to the sentence they are in. */
const maxBreath = 0.25;

/** What is shorter is a click. */
const minSpeech = 0.1;

/**
 * Finds speech: where it is clearly louder than in the quiet parts of the recording.
 *
 *
 * @param levels loudness of the windows, one after the other; 0 to 32,768
 * @param windowSeconds the length of a window
 */
export const findSpeech = (levels: readonly number[], windowSeconds: number): Span[] => {
  const threshold = thresholdFor(levels);
  const spans: { start: number; end: number }[] = [];
  levels.forEach((level, index) => {
    if (level < threshold) return;
    const start = index * windowSeconds;
    const last = spans.at(-1);
    if (last && start - last.end <= maxBreath) last.end = start + windowSeconds;
    else spans.push({ start, end: start + windowSeconds });
  });
  return spans.filter(({ start, end }) => end - start >= minSpeech);
};

/** Above the noise of the recording, but never so high that a constant tone throughout counted as silence. */
const thresholdFor = (levels: readonly number[]): number => {
  const sorted = Float64Array.from(levels).sort();
  const levelAt = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return Math.max(quietest, Math.min(levelAt(0.1) * 2.5, levelAt(0.95) / 4));
};

const windowMilliseconds = 20;
const bytesPerSample = 2;

/** Measures how loud 16-bit PCM is, in windows of a fiftieth of a second, as its bytes come in. */
export class LevelMeter {
  /** The root mean square of every whole window so far, all channels together; 0 to 32,768. */
  readonly levels: number[] = [];
  readonly windowSeconds: number;
  readonly #samplesPerWindow: number;
  #halfSample: Buffer = Buffer.alloc(0);
  #sumOfSquares = 0;
  #samples = 0;

  constructor(sampleRate: number, channels: number) {
    const framesPerWindow = Math.round((sampleRate * windowMilliseconds) / 1000);
    this.windowSeconds = framesPerWindow / sampleRate;
    this.#samplesPerWindow = framesPerWindow * channels;
  }

  /** Adds the next bytes. They may begin and end anywhere, even in the middle of a sample. */
  add(bytes: Buffer): void {
    const joined = this.#halfSample.length === 0 ? bytes : Buffer.concat([this.#halfSample, bytes]);
    const end = joined.length - (joined.length % bytesPerSample);
    for (let position = 0; position < end; position += bytesPerSample) {
      this.#sumOfSquares += joined.readInt16LE(position) ** 2;
      this.#samples += 1;
      if (this.#samples === this.#samplesPerWindow) this.#closeWindow();
    }
    this.#halfSample = joined.subarray(end);
  }

  #closeWindow(): void {
    this.levels.push(Math.sqrt(this.#sumOfSquares / this.#samples));
    this.#sumOfSquares = 0;
    this.#samples = 0;
  }
}
