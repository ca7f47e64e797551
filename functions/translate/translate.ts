import { randomUUID } from "node:crypto";
import { chooseLanguages } from "../../shared/platform/catalogue/choose-languages.ts";
import { countUse } from "../../shared/platform/telemetry/use.ts";
import type { TranslateRequest, TranslateResponse } from "./contract.ts";
import { prepareText } from "./prepare-text.ts";
import { sourceCodeOf } from "./source-code.ts";
import type { TextDependencies } from "./translate-texts.ts";

/**
 * Translates a text.
 *
 * @throws AppError `unsupported_language` and `same_language` with the list of languages; what the translator throws.
 */
export const translate = async (
  request: TranslateRequest,
  signal: AbortSignal,
  { translator, sourceDetector }: Pick<TextDependencies, "translator" | "sourceDetector">,
): Promise<TranslateResponse> => {
  const { source, target } = chooseLanguages(request);
  const startedAt = performance.now();
  const prepared = await prepareText({
    text: request.text,
    format: request.format ?? "text",
    source,
    target,
  });
  const translated = await prepared.translate(translator, signal);
  const { text, untranslated, characters, usage } = translated;
  countUse("characters", characters);
  return {
    id: `trans-${randomUUID().replaceAll("-", "")}`,
    status: "COMPLETED",
    output: {
      translated_text: text,
      text: null,
      source_language: sourceCodeOf(source, translated, sourceDetector),
      target_language: target.code,
      ...(untranslated ? { segments_kept: [...untranslated] } : {}),
      Error: null,
    },
    delayTime: null,
    executionTime: Math.round(performance.now() - startedAt),
    workerId: null,
    usage: usage ?? null,
  };
};
