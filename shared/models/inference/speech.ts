import type { SampleFormat } from "../../audio/wav/wav-header.ts";

/** How a model draws the sound; whatever is absent is left to the model. */
export interface SpeechSampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  /** For each chunk into which a long text is cut. */
  readonly maximumTokens?: number | undefined;
  readonly seed?: number | undefined;
}

/** A text to be spoken. */
export interface SpeechRequest {
  readonly text: string;
  /** A tag of the voice catalogue. */
  readonly voice: string;
  /** ISO 639-3; `undefined` leaves it to the voice. */
  readonly language: string | undefined;
  readonly sampling: SpeechSampling;
}

/** What is known of speech before its sound has arrived. */
export interface SpeechHeader {
  /** The beginning of a WAV file up to its first sample, with whatever chunks the server put there. */
  readonly bytes: Uint8Array;
  readonly format: SampleFormat;
  /** How many bytes of sound follow; `undefined` when the server did not know yet. */
  readonly soundBytes: number | undefined;
}

/** A WAV file on its way: its header has arrived, the sound is still being made. */
export interface Speech {
  readonly header: SpeechHeader;
  /**
   * The bytes behind the header, as they arrive; to be read once. Throws AppError `external_service_error` when the
   * server breaks off, falls silent or never gives any sound.
   */
  readonly sound: AsyncIterable<Uint8Array>;
  /** Stops the server's work; without effect once the sound was read to its end. */
  cancel(): void;
}

/** Turns texts into speech. */
export interface SpeechSynthesizer {
  /**
   * Resolves as soon as the first bytes are there. The speech is then read to its end, or cancelled; the signal also
   * ends it.
   *
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its answer is not speech.
   */
  synthesize(request: SpeechRequest, options: { readonly signal: AbortSignal }): Promise<Speech>;
}
