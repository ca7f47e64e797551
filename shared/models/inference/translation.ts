import type { TokenUsage } from "./chat.ts";

/** A text to be translated. Languages are given by their English names, as the models know them. */
export interface TranslationRequest {
  readonly text: string;
  /** `undefined` lets the model detect it. */
  readonly sourceLanguage: string | undefined;
  readonly targetLanguage: string;
  /** Tags that a first translation has lost, to be named to the model. */
  readonly keep?: readonly string[] | undefined;
  /** Text that is not translated and helps to understand what is. */
  readonly context?: string | undefined;
}

export interface TranslationResult {
  /** Never empty, never cut short. */
  readonly text: string;
  readonly usage: TokenUsage | undefined;
}

export interface Translator {
  /**
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its response is empty, cut short or unusable.
   */
  translate(
    request: TranslationRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<TranslationResult>;
}
