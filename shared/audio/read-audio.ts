import { type AudioSource, copyRange, SourceWindow } from "./audio-source.ts";
import {
  type AudioContainer,
  type AudioFacts,
  audioFacts,
  type ContainerFile,
  type ContainerReader,
} from "./container.ts";
import { detectContainer } from "./detect-container.ts";
import { flacReader } from "./flac/flac-reader.ts";
import { mp4Reader } from "./mp4/mp4-reader.ts";
import { adtsReader } from "./mpeg/adts.ts";
import { mp3Reader } from "./mpeg/mp3.ts";
import { oggReader } from "./ogg/ogg-reader.ts";
import { ReadingBudget } from "./reading-budget.ts";
import { wavReader } from "./wav/wav-reader.ts";
import { webmReader } from "./webm/webm-reader.ts";

export { type AudioSource, bufferSource } from "./audio-source.ts";
export type { AudioFacts } from "./container.ts";

/** How reading may be ended early. */
export interface AudioReadOptions {
  /** Its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** What reading may cost; a test gives one with a clock of its own. */
  readonly budget?: ReadingBudget | undefined;
}

const readers: Readonly<Record<AudioContainer, ContainerReader>> = {
  wav: wavReader,
  mp3: mp3Reader,
  adts: adtsReader,
  ogg: oggReader,
  mp4: mp4Reader,
  webm: webmReader,
  flac: flacReader,
};

/**
 * Finds out what a file is and how long it plays, from its bytes alone and without decoding them.
 *
 * The result is exact, and of a file that was cut off it is what can still be played. Whatever the bytes are,
 * memory stays bounded (a megabyte or two), the event loop is never kept long, and there is an answer within the budget.
 *
 * @throws NotAudioError when the file is something else; its message names what
 * @throws UnreadableAudioError when the audio is damaged, empty or in an unknown encoding
 * @throws whatever the source throws, or the signal's reason
 */
export const inspectAudio = async (
  source: AudioSource,
  options: AudioReadOptions = {},
): Promise<AudioFacts> => {
  const { container, ...file } = await openFile(source, options);
  return audioFacts(container, await readers[container].measure(file), source.size);
};

/**
 * How much longer than asked a recording may be before it is cut: less than any codec's padding, times
 * several.
 */
const toleranceSeconds = 0.5;

/**
 * Whether `trimAudio` would shorten the recording. A nominal ten minutes of MP3 measure a little more than
 * 600 s.
 */
export const isLongerThan = (
  { durationSeconds }: Pick<AudioFacts, "durationSeconds">,
  seconds: number,
): boolean => durationSeconds > seconds + toleranceSeconds;

/**
 * The first seconds of a recording, in the container and encoding it has; a shorter one as it is.
 *
 * Packets are copied and not re-encoded, so that the result is up to one packet longer than asked. It leaves
 * while it is made; what goes wrong is thrown between two pieces.
 *
 * @param facts what `inspectAudio` said about the source
 * @throws UntrimmableAudioError when the encoding cannot be cut: FLAC in Ogg, compressed WAV
 * @throws NotAudioError | UnreadableAudioError when the source is no longer what was inspected
 * @throws whatever the source throws, or the signal's reason
 */
export async function* trimAudio(
  source: AudioSource,
  facts: AudioFacts,
  seconds: number,
  options: AudioReadOptions = {},
): AsyncGenerator<Uint8Array, void> {
  if (!isLongerThan(facts, seconds)) {
    yield* copyRange(new SourceWindow(source, options.signal), 0, source.size);
    return;
  }
  const { budget = new ReadingBudget() } = options;
  const { container, ...file } = await openFile(source, { ...options, budget });
  yield* gatherPieces(readers[container].trim(file, seconds), budget);
}

const openFile = async (
  source: AudioSource,
  options: AudioReadOptions,
): Promise<ContainerFile & { readonly container: AudioContainer }> => {
  const window = new SourceWindow(source, options.signal, options.budget);
  return { window, ...(await detectContainer(window)) };
};

/** Each piece may become a write to a network. */
const leastBytes = 1 << 16;

/**
 * The same bytes in fewer pieces: each is at least 64 kB, but for the last one. The budget waits while a piece is written
 * wherever it goes.
 */
async function* gatherPieces(
  pieces: AsyncIterable<Uint8Array>,
  budget: ReadingBudget,
): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < leastBytes) continue;
    budget.pause();
    yield waiting.length === 1 ? piece : Buffer.concat(waiting);
    budget.resume();
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
