import { AppError } from "../../platform/errors/app-error.ts";
import type { TokenUsage } from "./chat.ts";
import { faultMessages, type TranslationFault } from "./translation-faults.ts";

/** No reply of a model to a text was a translation. */
export class NoTranslation extends AppError {
  readonly fault: TranslationFault;

  constructor(fault: TranslationFault) {
    super("external_service_error", { message: faultMessages[fault] });
    this.fault = fault;
  }
}

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
  /** Never empty, never cut short; without what the model has put around it. */
  readonly text: string;
  readonly usage: TokenUsage | undefined;
  /** `false` for a model whose replies are returned as they are. */
  readonly isJudged?: false;
}

export interface TranslationOptions {
  readonly signal: AbortSignal;
  /** How many replies may be requested until one is a translation; by default two. */
  readonly maxReplies?: 1 | 2;
}

export interface Translator {
  /**
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when its response is
   * unusable; {@link NoTranslation} when its replies are no translations.
   */
  translate(request: TranslationRequest, options: TranslationOptions): Promise<TranslationResult>;
}

/** What a template may say: languages by name and by the model's code, and the text. */
export const placeholders = ["source", "target", "source_code", "target_code", "text"] as const;
export type Placeholder = (typeof placeholders)[number];

/** A placeholder in a template; other braces stay as they are. */
export const placeholderPattern = /\{([a-z_]+)\}/g;
