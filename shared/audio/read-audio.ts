import type { ByteSource } from "../platform/outbound/byte-source.ts";
import { type AudioReadOptions, gatherPieces, openAudioFile, openForCut } from "./open-file.ts";
import { copyRange, SourceWindow } from "./reading/audio-source.ts";
import { type AudioFacts, audioFacts } from "./reading/container.ts";
import { ReadingBudget } from "./reading/reading-budget.ts";

export { bufferSource } from "./reading/audio-source.ts";
export type { AudioFacts } from "./reading/container.ts";

/**
 * Detects what a file is and how long it plays, from its bytes alone and without decoding them. For any bytes,
 * memory stays bounded (a megabyte or two), the event loop is never blocked for long, and there is a result within
 * the budget.
 * @throws NotAudioError when the file is something else; its message names what
 * @throws UnreadableAudioError when the audio is damaged, empty or in an unknown encoding
 * @throws what the source throws, or the signal's reason
 */
export const inspectAudio = async (
  source: ByteSource,
  options: AudioReadOptions = {},
): Promise<AudioFacts> => {
  const { container, reader, ...file } = await openAudioFile(source, options);
  return audioFacts(container, await reader.measure(file), source.size);
};

/** How much longer than requested a recording may be before it is cut: several times any codec's padding. */
const toleranceSeconds = 0.5;

/** Whether `trimAudio` would shorten the recording. Ten nominal minutes of MP3 measure a little more than 600 s. */
export const isLongerThan = (
  { durationSeconds }: Pick<AudioFacts, "durationSeconds">,
  seconds: number,
): boolean => durationSeconds > seconds + toleranceSeconds;

/** What a cut may have that its recording has not: a header. */
const maxNewHeaderBytes = 1 << 16;

/**
 * The first seconds of a recording, in its own container and encoding; a shorter one unchanged. Packets are copied,
 * so the result is up to one packet longer than requested. Errors may be thrown between two pieces.
 * @param facts the result of `inspectAudio` for the source
 * @throws NotAudioError | UnreadableAudioError when the source has changed since the inspection
 * @throws what the source throws, or the signal's reason
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
  const { reader, ...file } = await openForCut(source, facts, { ...options, budget });
  const until = await reader.ticksAt(file, seconds);
  yield* gatherPieces(reader.cut(file, { until }), budget, source.size + maxNewHeaderBytes);
}
