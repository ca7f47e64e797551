import { UnreadableAudioError } from "./audio-errors.ts";
import type { SourceWindow } from "./audio-source.ts";
import type { Cut, CutPoints } from "./piece.ts";

/** The media type and file name extension of each accepted container. */
const containers = {
  wav: { mediaType: "audio/wav", fileExtension: "wav" },
  mp3: { mediaType: "audio/mpeg", fileExtension: "mp3" },
  mp2: { mediaType: "audio/mpeg", fileExtension: "mp3" },
  amr: { mediaType: "audio/amr", fileExtension: "amr" },
  adts: { mediaType: "audio/aac", fileExtension: "aac" },
  ogg: { mediaType: "audio/ogg", fileExtension: "ogg" },
  mp4: { mediaType: "audio/mp4", fileExtension: "m4a" },
  webm: { mediaType: "audio/webm", fileExtension: "webm" },
  flac: { mediaType: "audio/flac", fileExtension: "flac" },
  aiff: { mediaType: "audio/aiff", fileExtension: "aiff" },
  au: { mediaType: "audio/basic", fileExtension: "au" },
  caf: { mediaType: "audio/x-caf", fileExtension: "caf" },
  w64: { mediaType: "audio/x-w64", fileExtension: "w64" },
} as const satisfies Record<string, { mediaType: string; fileExtension: string }>;

export type AudioContainer = keyof typeof containers;

/** What a reader detects about the audio itself. */
export interface Measurement {
  /** Such as `pcm`, `mp3`, `aac`, `opus`, `vorbis`, `flac`, `alac`. */
  readonly codec: string;
  /** Of what can be played: for a truncated file, the part that exists. */
  readonly durationSeconds: number;
  /** In hertz; absent when the file states nothing credible. */
  readonly sampleRate?: number;
  readonly channels?: number;
  /** Whether its packets play longer than its times say, so that it cannot be cut by them. */
  readonly hasWrongTimes?: boolean;
}

/** What an audio file's bytes say about it; file names and declared types are ignored. */
export interface AudioFacts extends Measurement {
  readonly container: AudioContainer;
  readonly mediaType: string;
  /** Without the dot. */
  readonly fileExtension: string;
}

/**
 * The lowest rate of a speech codec in use is 450 bit/s. A header that claims more seconds than the bytes can
 * contain at 200 is false; quotas and bills depend on durations.
 */
const minBitsPerSecond = 200;

const maxChannels = 255;

/** Completes a measurement, if it is plausible for a file of this size. @throws UnreadableAudioError */
export const audioFacts = (
  container: AudioContainer,
  { codec, durationSeconds, sampleRate, channels, hasWrongTimes }: Measurement,
  sizeInBytes: number,
): AudioFacts => {
  if (durationSeconds === 0) throw new UnreadableAudioError("The audio is empty.");
  if (!(durationSeconds > 0 && durationSeconds <= (sizeInBytes * 8) / minBitsPerSecond)) {
    throw new UnreadableAudioError("The audio is damaged: it claims an impossible duration.");
  }
  return {
    container,
    ...containers[container],
    codec,
    durationSeconds,
    ...(sampleRate && sampleRate >= 1_000 && sampleRate <= 768_000 ? { sampleRate } : {}),
    ...(channels && channels <= maxChannels ? { channels } : {}),
    ...(hasWrongTimes ? { hasWrongTimes } : {}),
  };
};

export interface ContainerFile {
  readonly window: SourceWindow;
  /** Where the container starts in the file. */
  readonly start: number;
}

/** What can be done with the files of one container. Each method throws UnreadableAudioError for a damaged file. */
export interface ContainerReader {
  measure(file: ContainerFile): Promise<Measurement>;
  /** The time, in the container's units, up to which a cut from the start plays for a number of seconds. */
  ticksAt(file: ContainerFile, seconds: number): Promise<number>;
  /** Where the audio may be cut. */
  cutPoints(file: ContainerFile): Promise<CutPoints>;
  /**
   * A range of the audio as a file of its own: from a cut point or the start, for at most one packet longer than
   * wanted. The packets are copied, not re-encoded.
   */
  cut(file: ContainerFile, cut: Cut): AsyncIterable<Uint8Array>;
}

/** A reader that is chosen by what a file contains. */
export const chosenReader = (choose: (file: ContainerFile) => Promise<ContainerReader>): ContainerReader => ({
  measure: async (file) => (await choose(file)).measure(file),
  ticksAt: async (file, seconds) => (await choose(file)).ticksAt(file, seconds),
  cutPoints: async (file) => (await choose(file)).cutPoints(file),
  async *cut(file, cut) {
    yield* (await choose(file)).cut(file, cut);
  },
});
