import type { ByteSource } from "../../platform/outbound/byte-source.ts";

/** A recording, in memory or in a store. It can be read more than once. */
export interface Recording {
  readonly source: ByteSource;
  /** Of its container, as detected from its bytes. */
  readonly mediaType: string;
  /** Without the dot; servers choose their decoder by it. */
  readonly fileExtension: string;
}

/**
 * How much the caller needs speakers: no transcription will do without them; it will do, but they are worth another request to the
 * server; or only a server whose profile says that it distinguishes them returns them.
 */
export type SpeakerRequest = "required" | "attempted" | "if-known";

export interface TranscriptionRequest {
  readonly recording: Recording;
  /** ISO 639-3; `undefined` lets the model's server detect it. */
  readonly language: string | undefined;
  /** Whether only servers are called whose profile says that they detect the language. */
  readonly detectsLanguage?: boolean;
  readonly withSegments: boolean;
  /** Whether to return segments with their speakers. */
  readonly speakers?: SpeakerRequest | undefined;
  /** Whether to return the times of words. */
  readonly withWords?: boolean;
  /** A hint for the model: what was said before, or names that occur. */
  readonly prompt?: string | undefined;
  /** How freely the model chooses words, 0 to 1. */
  readonly temperature?: number | undefined;
}

/** What a model reports about a segment in addition to its text, as those of the Whisper family do: each of them, or not. */
export interface SegmentDetails {
  /** Where in the recording the model's window started, in hundredths of a second. */
  readonly seek: number | undefined;
  readonly tokens: readonly number[] | undefined;
  readonly temperature: number | undefined;
  /** How probable the text is: the mean logarithm of its tokens' probabilities. */
  readonly averageLogProbability: number | undefined;
  /** How well the text can be compressed; a high value indicates repetition. */
  readonly compressionRatio: number | undefined;
  /** Probability of silence, 0 to 1. */
  readonly noSpeechProbability: number | undefined;
}

/** A word and its times, in seconds from the beginning of the recording. */
export interface Word {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
}

/** A segment of speech and its times, in seconds from the beginning of the recording. */
export interface Segment {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
  /** The speaker, by a name that the model's server chose; absent when it does not distinguish voices. */
  readonly speaker?: string;
  /** Absent when the model does not report them. */
  readonly details?: SegmentDetails;
}

export interface Transcription {
  /** ISO 639-3, as the model detected it; absent when it reports none that is known here. */
  readonly language?: string;
  /** Empty for silence. */
  readonly text: string;
  /** In the order of the recording; `undefined` when they were not requested or the model does not support them. */
  readonly segments: readonly Segment[] | undefined;
  /** In the order of the recording; absent when they were not requested or the model does not support them. */
  readonly words?: readonly Word[] | undefined;
}

export interface TranscriptionOptions {
  readonly signal: AbortSignal;
  /** Receives each piece of the text as soon as the model has it, or all at once when its server does not stream. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface Transcriber {
  /**
   * Reads the recording piece by piece, at the pace of the model's server.
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its response is not a transcription; `unsupported_parameter` when no server distinguishes the speakers that the request requires;
   * what reading the recording throws.
   */
  transcribe(request: TranscriptionRequest, options: TranscriptionOptions): Promise<Transcription>;
}
