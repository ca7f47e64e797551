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
