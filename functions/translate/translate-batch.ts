import pLimit from "p-limit";
import type { CharacterQuota, CharacterStatus } from "../../shared/accounts/limits/character-quota.ts";
import { ReplyWithHeaders } from "../../shared/http/response.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import { chooseLanguages } from "../../shared/platform/catalogue/choose-languages.ts";
import { type AppError, invalidField } from "../../shared/platform/errors/app-error.ts";
import { allItemsFailed, atItem } from "../../shared/platform/errors/batch-errors.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { countUse } from "../../shared/platform/telemetry/use.ts";
import type { TranslateBatchRequest, TranslateBatchResponse } from "./contract.ts";
import {
  type PreparedText,
  prepareText,
  type TextToTranslate,
  type TranslatedText,
} from "./translate-text.ts";

export interface BatchDependencies {
  readonly translator: Translator;
  readonly characters: CharacterQuota;
}

/** How many texts run in parallel, so one caller does not occupy a GPU alone. */
const textsAtOnce = 4;

const textsOf = ({
  items,
  format,
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
    return { text: item.text, format, ...atItem(index, () => chooseLanguages(requested)) };
  });

/** A text that occurs in the request, once or more. */
interface DistinctText {
  readonly text: TextToTranslate;
  /** The positions of its items. */
  readonly indexes: number[];
  readonly prepared: PreparedText;
}

/** Returns the distinct texts, ready to be translated: equal ones between the same languages are one. */
const prepareDistinct = async (texts: readonly TextToTranslate[]): Promise<DistinctText[]> => {
  const distinct = new Map<string, { readonly text: TextToTranslate; readonly indexes: number[] }>();
  for (const [index, text] of texts.entries()) {
    const name = JSON.stringify([text.source?.code ?? null, text.target.code, text.text]);
    const found = distinct.get(name);
    if (found) found.indexes.push(index);
    else distinct.set(name, { text, indexes: [index] });
  }
  return Promise.all(
    Array.from(distinct.values(), async (each) => ({ ...each, prepared: await prepareText(each.text) })),
  );
};

/** The outcome of a distinct text. */
interface Outcome extends DistinctText {
  readonly translated?: TranslatedText;
  readonly error?: AppError;
}

const attempt = async (
  distinct: DistinctText,
  translator: Translator,
  signal: AbortSignal,
): Promise<Outcome> => {
  try {
    return { ...distinct, translated: await distinct.prepared.translate(translator, signal) };
  } catch (thrown) {
    const error = toAppError(thrown);
    const { indexes } = distinct;
    logger.error("translation.item_failed", {
      indexes,
      code: error.code,
      reason: describeError(error.cause),
    });
    return { ...distinct, error };
  }
};

type Result = TranslateBatchResponse["results"][number];

const toResults = ({ text: { source, target }, indexes, translated, error }: Outcome): Result[] =>
  indexes.map((index) => ({
    index,
    status: translated ? "COMPLETED" : "FAILED",
    translated_text: translated?.text ?? null,
    source_language: source?.code ?? null,
    target_language: target.code,
    ...(translated?.untranslated ? { segments_kept: [...translated.untranslated] } : {}),
    error_code: error?.code ?? null,
    error_detail: error?.message ?? null,
  }));

const headersOf = ({ used, limit, resetSeconds }: CharacterStatus): Record<string, string> =>
  limit === undefined
    ? {}
    : {
        "x-ratelimit-limit-characters": String(limit),
        "x-ratelimit-remaining-characters": String(Math.max(0, limit - used)),
        "x-ratelimit-reset-characters": `${resetSeconds}s`,
      };

/** Counts the texts, translates them, and deducts what was not translated. @returns what happened, and the month's count. */
const translateCounted = async (
  texts: readonly DistinctText[],
  { userId, signal }: { readonly userId: number; readonly signal: AbortSignal },
  { translator, characters }: BatchDependencies,
): Promise<{
  readonly outcomes: Outcome[];
  readonly translated: number;
  readonly status: CharacterStatus;
}> => {
  const counted = texts.reduce((sum, { prepared }) => sum + prepared.characters, 0);
  const status = await characters.charge(userId, counted);
  const outcomes = await pLimit(textsAtOnce).map(texts, (text) => attempt(text, translator, signal));
  const translated = outcomes.reduce((sum, outcome) => sum + (outcome.translated?.characters ?? 0), 0);
  const refunded = translated < counted ? await characters.refund(userId, counted - translated) : undefined;
  return { outcomes, translated, status: refunded ?? status };
};

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
  dependencies: BatchDependencies,
): Promise<ReplyWithHeaders<TranslateBatchResponse>> => {
  const texts = await prepareDistinct(textsOf(request));
  const { outcomes, translated, status } = await translateCounted(texts, caller, dependencies);
  const results = outcomes.flatMap(toResults).toSorted((one, other) => one.index - other.index);
  const failed = results.filter(({ error_code: code }) => code !== null);
  if (failed.length === results.length) {
    throw allItemsFailed(
      "No item could be translated.",
      outcomes.flatMap(({ error }) => error ?? []),
      results,
    );
  }
  countUse("errors", failed.length);
  countUse("characters", translated);
  const { used, limit } = status;
  return new ReplyWithHeaders(
    {
      results,
      usage: {
        characters: translated,
        characters_remaining: limit === undefined ? null : Math.max(0, limit - used),
      },
    },
    headersOf(status),
  );
};
