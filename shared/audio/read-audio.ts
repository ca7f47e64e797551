import type { ByteSource } from "../platform/outbound/byte-source.ts";
import { type AudioReadOptions, gatherPieces, openAudioFile } from "./open-file.ts";
import { copyRange, SourceWindow } from "./reading/audio-source.ts";
import { type AudioFacts, audioFacts } from "./reading/container.ts";
import { ReadingBudget } from "./reading/reading-budget.ts";

export { bufferSource } from "./reading/audio-source.ts";
export type { AudioFacts } from "./reading/container.ts";

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
  source: ByteSource,
  options: AudioReadOptions = {},
): Promise<AudioFacts> => {
  const { container, reader, ...file } = await openAudioFile(source, options);
  return audioFacts(container, await reader.measure(file), source.size);
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
  source: ByteSource,
  facts: AudioFacts,
  seconds: number,
  options: AudioReadOptions = {},
): AsyncGenerator<Uint8Array, void> {
  if (!isLongerThan(facts, seconds)) {
    yield* copyRange(new SourceWindow(source, options.signal), 0, source.size);
    return;
  }
  const { budget = new ReadingBudget() } = options;
  const { reader, ...file } = await openAudioFile(source, { ...options, budget });
  yield* gatherPieces(reader.trim(file, seconds), budget);
}
