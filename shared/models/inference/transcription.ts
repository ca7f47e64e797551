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
  /** Whether to return how sure the transcript is, where the stage has a calibration for its language. */
  readonly confidence?: boolean;
  /** What the model should report only so that it can be calculated how sure the transcript is. */
  readonly scores?: "segments" | "words" | undefined;
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

/** Why a text may not be what was said. */
export const doubtReasons = [
  "improbable",
  "silence",
  "repetition",
  "other_language",
  "pieces_differ",
] as const;
export type DoubtReason = (typeof doubtReasons)[number];

/** What these mean, for documentation. */
export const reasonTexts =
  "`improbable`: the model finds its own words improbable. `silence`: it probably hears no speech. `repetition`: the text repeats " +
  "itself. `other_language`: it looks like another language. `pieces_differ`: pieces of the recording differ where they overlap";

/** How sure it is that a text is what was said. */
export interface Certainty {
  /** As the model reports it, 0 to 1; absent when it does not. */
  readonly probability?: number;
  /** How often such texts are right, 0 to 1, by the stage's calibration; absent without one. */
  readonly confidence?: number;
  /** Other texts, with a keyword that was probably said. */
  readonly alternatives?: readonly string[];
}

/** A word and its times, in seconds from the beginning of the recording. */
export interface Word extends Certainty {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
}

/** A segment of speech and its times, in seconds from the beginning of the recording. */
export interface Segment extends Certainty {
  readonly start: number;
  /** Never before `start`. */
  readonly end: number;
  readonly text: string;
  /** The speaker, by a name that the model's server chose; absent when it does not distinguish voices. */
  readonly speaker?: string;
  /** ISO 639-3; present where the recording changes it and the request does not name one. */
  readonly language?: string;
  /** Absent when the model does not report them. */
  readonly details?: SegmentDetails;
  /** Present only together with a confidence. */
  readonly reasons?: readonly DoubtReason[];
}

/** How sure a whole transcript is. */
export interface TextConfidence {
  /** The mean of its words; absent when a part of them has none. */
  readonly confidence?: number;
  /** Why it may be wrong; present together with the confidence. */
  readonly reasons?: readonly DoubtReason[];
}

export interface Transcription extends TextConfidence {
  /** ISO 639-3, as it was detected; absent when the request names it, or the model reports none that is known here. */
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
