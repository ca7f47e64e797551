import { ReplyWithHeaders } from "../../shared/http/response.ts";
import { chooseLanguages } from "../../shared/platform/catalogue/choose-languages.ts";
import { invalidField } from "../../shared/platform/errors/app-error.ts";
import { allItemsFailed, atItem } from "../../shared/platform/errors/batch-errors.ts";
import type { TranslateBatchRequest, TranslateBatchResponse } from "./contract.ts";
import type { TextToTranslate } from "./prepare-text.ts";
import { sourceCodeOf } from "./source-code.ts";
import {
  characterHeaders,
  type TextDependencies,
  type TextOutcome,
  translateTexts,
} from "./translate-texts.ts";

const textsOf = ({
  items,
  format = "text",
  source_language: source,
  target_language: target,
}: TranslateBatchRequest): TextToTranslate[] =>
  items.map((item, index) => {
    const targetLanguage = item.target_language ?? target;
    if (targetLanguage == null) {
      const field = ["body", "items", index, "target_language"];
      throw invalidField(field, "neither the item nor the request has a target language");
    }
    const requested = {
      source_language: item.source_language ?? source,
      target_language: targetLanguage,
    };
    return {
      text: item.text,
      name: `items[${index}].text`,
      format,
      ...atItem(index, () => chooseLanguages(requested)),
    };
  });

type Result = TranslateBatchResponse["results"][number];

const toResult = (
  { source, target }: TextToTranslate,
  { translated, error }: TextOutcome,
  index: number,
  { sourceDetector }: Pick<TextDependencies, "sourceDetector">,
): Result => ({
  index,
  status: translated ? "COMPLETED" : "FAILED",
  translated_text: translated?.text ?? null,
  source_language: sourceCodeOf(source, translated, sourceDetector),
  target_language: target.code,
  ...(translated?.untranslated ? { segments_kept: [...translated.untranslated] } : {}),
  error_code: error?.code ?? null,
  error_detail: error?.message ?? null,
});

/**
 * Translates several texts. All are checked first; then some may fail while others succeed.
 *
 * @throws AppError for the first item with an unusable language, its message starting with `item index N:`; `quota_exceeded` for
 * the month's characters; `external_service_error` when all items fail, `service_unavailable` when the model was unavailable
 * for all.
 */
export const translateBatch = async (
  request: TranslateBatchRequest,
  caller: { readonly userId: number; readonly signal: AbortSignal },
  dependencies: TextDependencies,
): Promise<ReplyWithHeaders<TranslateBatchResponse>> => {
  const texts = textsOf(request);
  const { outcomes, characters, status } = await translateTexts(texts, caller, dependencies);
  const results = texts.map((text, index) => toResult(text, outcomes[index] ?? {}, index, dependencies));
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  if (errors.length === results.length) throw allItemsFailed("No item could be translated.", errors, results);
  const { used, limit } = status;
  const remaining = limit === undefined ? null : Math.max(0, limit - used);
  return new ReplyWithHeaders(
    { results, usage: { characters, characters_remaining: remaining } },
    characterHeaders(status),
  );
};
