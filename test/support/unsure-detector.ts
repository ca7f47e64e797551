import type { SourceLanguageDetector } from "../../shared/models/source-language/detector.ts";

/** A detector that is sure of no text, so that translations keep what their request names. */
export const unsureDetector: SourceLanguageDetector = { detect: () => undefined };

/** What judges spoken languages where no request needs that. */
export const unsureJudgement = {
  detectsLanguages: false,
  detector: unsureDetector,
  wordOrder: () => 0,
};
