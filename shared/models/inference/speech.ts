import type { Speech } from "../../audio/wav/streamed-wav.ts";

/** How a model samples the audio; absent values use the model's defaults. */
export interface SpeechSampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  /** For each chunk into which a long text is cut. */
  readonly maxTokens?: number | undefined;
  readonly seed?: number | undefined;
}

export interface SpeechRequest {
  readonly text: string;
  /** A tag of the voice catalogue. */
  readonly voice: string;
  /** Whether the caller named the voice; otherwise the service chose it. */
  readonly hasNamedVoice?: boolean;
  /** ISO 639-3; `undefined` leaves it to the voice. */
  readonly language: string | undefined;
  readonly sampling: SpeechSampling;
}

export interface SpeechSynthesizer {
  /**
   * Resolves as soon as the first bytes have arrived. The speech must be read to its end, or cancelled.
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its response is not speech.
   */
  synthesize(request: SpeechRequest, options: { readonly signal: AbortSignal }): Promise<Speech>;
}
