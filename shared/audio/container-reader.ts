import type { Measurement } from "./audio-facts.ts";
import type { SourceWindow } from "./audio-source.ts";

/** A file of a known container. */
export interface ContainerFile {
  readonly window: SourceWindow;
  /** Where the container starts in the file. */
  readonly start: number;
}

/** What can be done with the files of one container. */
export interface ContainerReader {
  /** @throws UnreadableAudioError */
  measure(file: ContainerFile): Promise<Measurement>;
  /**
   * The first `seconds` of the sound, at least, and at most one packet more; the packets are copied, not
   * re-encoded.
   *
   * @throws UnreadableAudioError | UntrimmableAudioError
   */
  trim(file: ContainerFile, seconds: number): AsyncIterable<Uint8Array>;
}
