import type { ByteSource } from "../platform/outbound/byte-source.ts";
import { amrReader } from "./amr/amr.ts";
import { aiffReader } from "./blocks/aiff.ts";
import { auReader } from "./blocks/au.ts";
import { cafReader } from "./blocks/caf.ts";
import { detectContainer } from "./detect-container.ts";
import { flacReader } from "./flac/flac-reader.ts";
import { mp4Reader } from "./mp4/mp4-reader.ts";
import { adtsReader } from "./mpeg/adts.ts";
import { mp2Reader } from "./mpeg/mp2.ts";
import { mp3Reader } from "./mpeg/mp3.ts";
import { oggReader } from "./ogg/ogg-reader.ts";
import { UnreadableAudioError } from "./reading/audio-errors.ts";
import { SourceWindow } from "./reading/audio-source.ts";
import type { AudioContainer, AudioFacts, ContainerFile, ContainerReader } from "./reading/container.ts";
import type { ReadingBudget } from "./reading/reading-budget.ts";
import { w64Reader } from "./wav/w64.ts";
import { wavReader } from "./wav/wav-reader.ts";
import { webmReader } from "./webm/webm-reader.ts";

export interface AudioReadOptions {
  /** Its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  readonly budget?: ReadingBudget | undefined;
}

const readers: Readonly<Record<AudioContainer, ContainerReader>> = {
  wav: wavReader,
  mp3: mp3Reader,
  mp2: mp2Reader,
  amr: amrReader,
  adts: adtsReader,
  ogg: oggReader,
  mp4: mp4Reader,
  webm: webmReader,
  flac: flacReader,
  aiff: aiffReader,
  au: auReader,
  caf: cafReader,
  w64: w64Reader,
};

/** Those whose readers know that a tag may precede the audio; what the others read starts with the file. */
const mayStartLater: ReadonlySet<AudioContainer> = new Set(["mp3", "mp2", "adts", "flac"]);

interface OpenFile extends ContainerFile {
  readonly container: AudioContainer;
  readonly reader: ContainerReader;
}

/**
 * Opens a file to cut it. @throws NotAudioError
 * @throws UnreadableAudioError when its times do not say where it can be cut
 */
export const openForCut = async (
  source: ByteSource,
  facts: Pick<AudioFacts, "hasWrongTimes">,
  options: AudioReadOptions,
): Promise<OpenFile> => {
  if (!facts.hasWrongTimes) return openAudioFile(source, options);
  throw new UnreadableAudioError(
    "The audio cannot be shortened: its times do not match its packets. Convert it, or send a shorter recording.",
  );
};

/** @throws NotAudioError */
export const openAudioFile = async (source: ByteSource, options: AudioReadOptions): Promise<OpenFile> => {
  const window = new SourceWindow(source, options.signal, options.budget);
  const { container, start } = await detectContainer(window);
  const file = { window, start, container, reader: readers[container] };
  if (start === 0 || mayStartLater.has(container)) return file;
  return { ...file, window: window.part(start), start: 0 };
};

/** Each piece may become a write to a network. */
const minBytes = 1 << 16;

/**
 * The same bytes in fewer pieces, of at least 64 kB but for the last. The budget pauses while a piece is consumed.
 * @param maxBytes of all: a cut is larger than its recording only if the recording lists its parts repeatedly
 * @throws UnreadableAudioError when there are more
 */
export async function* gatherPieces(
  pieces: AsyncIterable<Uint8Array>,
  budget: ReadingBudget,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let remaining = maxBytes;
  for await (const piece of pieces) {
    remaining -= piece.length;
    if (remaining < 0) throw new UnreadableAudioError("The audio is damaged: its parts overlap.");
    waiting.push(piece);
    length += piece.length;
    if (length < minBytes) continue;
    budget.pause();
    yield waiting.length === 1 ? piece : Buffer.concat(waiting);
    budget.resume();
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
