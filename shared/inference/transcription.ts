import type { AudioSource } from "../audio/audio-source.ts";

/** A recording, wherever its bytes are. It can be read more than once. */
export interface Recording {
  readonly source: AudioSource;
  /** Of its container, as its bytes tell. */
  readonly mediaType: string;
  /** Without the dot; servers choose their decoder by it. */
  readonly fileExtension: string;
}

/** A recording to be written down. */
export interface TranscriptionRequest {
  readonly recording: Recording;
  /** ISO 639-3; `undefined` leaves it to the model's server to find out. */
  readonly language: string | undefined;
  readonly withSegments: boolean;
  /** Whether segments are wanted that tell who speaks. */
  readonly withSpeakers?: boolean;
}

/** A stretch of speech; seconds from the beginning of the recording. */
export interface Segment {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
  /** Who speaks, by a name the model's server made up; absent when it cannot tell voices apart. */
  readonly speaker?: string;
}

/** What was said. */
export interface Transcription {
  /** Empty for silence. */
  readonly text: string;
  /** In the order of the recording; `undefined` when they were not asked for or the model cannot tell. */
  readonly segments: readonly Segment[] | undefined;
}

/** Writes down what is said in recordings. */
export interface Transcriber {
  /**
   * Reads the recording piece by piece, at the pace of the model's server.
   *
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its answer is no transcription; what reading the recording throws.
   */
  transcribe(
    request: TranscriptionRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<Transcription>;
}
