import type { ByteSource } from "../../platform/outbound/byte-source.ts";

/** A recording, wherever its bytes are. It can be read more than once. */
export interface Recording {
  readonly source: ByteSource;
  /** Of its container, as its bytes tell. */
  readonly mediaType: string;
  /** Without the dot; servers choose their decoder by it. */
  readonly fileExtension: string;
}

/** A recording to be written down. */
export interface TranscriptionRequest {
  readonly recording: Recording;
  /** ISO 639-3; `undefined` lets the model's server detect it. */
  readonly language: string | undefined;
  readonly withSegments: boolean;
  /** Whether segments are wanted that tell who speaks. */
  readonly withSpeakers?: boolean;
  /** Whether the times of single words are wanted. */
  readonly withWords?: boolean;
  /** What the model may take as a hint: what was said before, or names that occur. */
  readonly prompt?: string | undefined;
  /** How freely the model chooses words, 0 to 1. */
  readonly temperature?: number | undefined;
}

/** What a model reports about a segment in addition to its text, as those of the Whisper family do. */
export interface SegmentDetails {
  /** Where in the recording the model's window started, in hundredths of a second. */
  readonly seek: number;
  readonly tokens: readonly number[];
  readonly temperature: number;
  /** How probable the text is: the mean logarithm of its tokens' probabilities. */
  readonly averageLogProbability: number;
  /** How well the text can be compressed; a high value indicates repetition. */
  readonly compressionRatio: number;
  /** Probability of silence, 0 to 1. */
  readonly noSpeechProbability: number;
}

/** A word and when it is said; seconds from the beginning of the recording. */
export interface Word {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
}

/** A stretch of speech; seconds from the beginning of the recording. */
export interface Segment {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
  /** Who speaks, by a name the model's server made up; absent when it cannot tell voices apart. */
  readonly speaker?: string;
  /** Absent when the model does not tell. */
  readonly details?: SegmentDetails;
}

/** What was said. */
export interface Transcription {
  /** Empty for silence. */
  readonly text: string;
  /** In the order of the recording; `undefined` when they were not requested or the model does not support them. */
  readonly segments: readonly Segment[] | undefined;
  /** In the order of the recording; absent when they were not requested or the model does not support them. */
  readonly words?: readonly Word[] | undefined;
}

/** The options of a transcription. */
export interface TranscriptionOptions {
  readonly signal: AbortSignal;
  /** Given each piece of the text as soon as the model has it; at once all of it when its server does not stream. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** Writes down what is said in recordings. */
export interface Transcriber {
  /**
   * Reads the recording piece by piece, at the pace of the model's server.
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its response is not a transcription; what reading the recording throws.
   */
  transcribe(request: TranscriptionRequest, options: TranscriptionOptions): Promise<Transcription>;
}
