import pLimit from "p-limit";
import type { CharacterQuota, CharacterStatus } from "../../shared/accounts/limits/character-quota.ts";
import { surroundingWords } from "../../shared/documents/surrounding-words.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import type { SourceLanguageDetector } from "../../shared/models/source-language/detector.ts";
import type { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { countUse } from "../../shared/platform/telemetry/use.ts";
import { type PreparedText, prepareText, type TextToTranslate, type TranslatedText } from "./prepare-text.ts";

export interface TextDependencies {
  readonly translator: Translator;
  readonly characters: CharacterQuota;
  /** Detects the language of texts whose language the request does not name. */
  readonly sourceDetector: SourceLanguageDetector;
}

/** The outcome of a text: its translation, or why there is none. */
export interface TextOutcome {
  readonly translated?: TranslatedText;
  readonly error?: AppError;
}

export interface TranslatedTexts {
  /** In the order of the texts. */
  readonly outcomes: readonly TextOutcome[];
  /** The code points that were translated, each distinct text once. */
  readonly characters: number;
  /** The month's characters afterwards. */
  readonly status: CharacterStatus;
}

/** How many calls of the model run in parallel, so one caller does not occupy a GPU alone. */
const callsAtOnce = 4;

/** A text that occurs in a request, once or more. */
interface DistinctText {
  readonly text: TextToTranslate;
  /** Its positions. */
  readonly indexes: number[];
}

/** Returns the distinct texts: equal ones between the same languages are one. */
const distinctTexts = (texts: readonly TextToTranslate[]): DistinctText[] => {
  const distinct = new Map<string, DistinctText>();
  for (const [index, text] of texts.entries()) {
    const name = JSON.stringify([text.source?.code ?? null, text.target.code, text.text]);
    const found = distinct.get(name);
    if (found) found.indexes.push(index);
    else distinct.set(name, { text, indexes: [index] });
  }
  return [...distinct.values()];
};

/** Returns a text with those before and after it as its context. The plain ones of a list stay as they were sent. */
const withNeighbours = (
  text: TextToTranslate,
  index: number,
  texts: readonly TextToTranslate[],
): TextToTranslate => {
  const stays = text.format === "text" && !text.isWhole;
  const context = text.context ?? surroundingWords((position) => texts[position]?.text, index);
  return stays || context === undefined ? text : { ...text, context };
};

const attempt = async (
  prepared: PreparedText,
  { indexes: [index] }: DistinctText,
  translator: Translator,
  signal: AbortSignal,
): Promise<TextOutcome> => {
  try {
    return { translated: await prepared.translate(translator, signal) };
  } catch (thrown) {
    const error = toAppError(thrown);
    const { code, cause } = error;
    logger.error("translation.item_failed", { index, code, reason: describeError(cause) });
    return { error };
  }
};

type PreparedTexts = readonly (DistinctText & { readonly prepared: PreparedText })[];

/** Translates prepared texts, a few at a time. @param onFailure is called for the first text that fails. */
const translatePrepared = async (
  texts: PreparedTexts,
  translator: Translator,
  signal: AbortSignal,
  onFailure: (error: AppError) => void,
): Promise<TextOutcome[]> => {
  const limit = pLimit(callsAtOnce);
  const limited: Translator = { translate: (...call) => limit(() => translator.translate(...call)) };
  const outcomes: TextOutcome[] = [];
  await Promise.all(
    texts.map(async (each) => {
      const outcome = await attempt(each.prepared, each, limited, signal);
      if (outcome.error) onFailure(outcome.error);
      for (const index of each.indexes) outcomes[index] = outcome;
    }),
  );
  return outcomes;
};

/** Whose texts are translated, until when, and whether a text that fails fails all of them. */
export interface TextsCaller {
  readonly userId: number;
  readonly signal: AbortSignal;
  readonly isAllOrNothing?: boolean;
}

/**
 * Translates the texts of a request, whose formats are the same. Counts their characters on the account's month, and deducts what was
 * not translated.
 *
 * @throws AppError `quota_exceeded`; the table's errors; `unreadable_document` for XML that is not well-formed. What the model fails at
 * fails its text only, or all of them with its error.
 */
export const translateTexts = async (
  texts: readonly TextToTranslate[],
  { userId, signal, isAllOrNothing = false }: TextsCaller,
  { translator, characters }: Pick<TextDependencies, "translator" | "characters">,
): Promise<TranslatedTexts> => {
  const distinct = distinctTexts(texts.map(withNeighbours));
  const prepared = await Promise.all(
    distinct.map(async (each) => ({ ...each, prepared: await prepareText(each.text) })),
  );
  const counted = prepared.reduce((sum, each) => sum + each.prepared.characters, 0);
  const status = await characters.charge(userId, counted);
  const stopped = new AbortController();
  let failure: AppError | undefined;
  const outcomes = await translatePrepared(
    prepared,
    translator,
    AbortSignal.any([signal, stopped.signal]),
    (error) => {
      if (!isAllOrNothing) return;
      failure ??= error;
      stopped.abort(error);
    },
  );
  const translated = failure
    ? 0
    : prepared.reduce(
        (sum, { indexes: [index = 0] }) => sum + (outcomes[index]?.translated?.characters ?? 0),
        0,
      );
  const refunded = translated < counted ? await characters.refund(userId, counted - translated) : undefined;
  if (failure) throw failure;
  countUse("errors", outcomes.filter(({ error }) => error).length);
  countUse("characters", translated);
  return { outcomes, characters: translated, status: refunded ?? status };
};

/** The headers that show the month's characters; none for accounts without a limit. */
export const characterHeaders = ({ used, limit, resetSeconds }: CharacterStatus): Record<string, string> =>
  limit === undefined
    ? {}
    : {
        "x-ratelimit-limit-characters": String(limit),
        "x-ratelimit-remaining-characters": String(Math.max(0, limit - used)),
        "x-ratelimit-reset-characters": `${resetSeconds}s`,
      };
