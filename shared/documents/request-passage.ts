import { NoTranslation, type TranslationRequest, type Translator } from "../models/inference/translation.ts";
import { AppError } from "../platform/errors/app-error.ts";
import type { TranslatePassage } from "./segments/translate-segments.ts";

/**
 * Returns what requests one reply to a passage from a model. Which replies are requested once more, documents decide.
 *
 * @param note receives each translation.
 */
export const passageRequests =
  (
    translator: Translator,
    setting: Omit<TranslationRequest, "text" | "keep">,
    signal: AbortSignal,
    note: (translated: Awaited<ReturnType<Translator["translate"]>>) => void = () => {},
  ): TranslatePassage =>
  async (text, { keep, context }) => {
    try {
      const request = { text, keep, ...setting, ...(context ? { context } : {}) };
      const translated = await translator.translate(request, { signal, maxReplies: 1 });
      note(translated);
      const { text: response, isJudged } = translated;
      return { response, ...(isJudged === false ? { isJudged } : {}) };
    } catch (error) {
      if (error instanceof NoTranslation) return { untranslated: error.fault };
      if (error instanceof AppError && error.code === "context_length_exceeded")
        return { untranslated: "too_long" };
      if (error instanceof AppError && error.code === "content_policy_violation")
        return { untranslated: "filtered" };
      throw error;
    }
  };

/** The error for a text or document of which most replies were no translations. */
export const mostlyUntranslated = (): AppError =>
  new AppError("external_service_error", { message: "Most replies of the model were no translations." });
