import { randomUUID } from "node:crypto";
import type { Translator } from "../../shared/models/inference/translation.ts";
import {
  findLanguage,
  type Language,
  translationLanguages,
} from "../../shared/platform/catalogue/languages.ts";
import { compareText } from "../../shared/platform/compare-text.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { countCharacters } from "../../shared/platform/telemetry/use.ts";
import type { TranslateRequest, TranslateResponse } from "./contract.ts";

const supported = translationLanguages
  .map(({ code, name }) => ({ code, name }))
  .toSorted((one, other) => compareText(one.name, other.name));

const resolve = (value: string, param: "source_language" | "target_language"): Language => {
  const language = findLanguage(value, "translation");
  if (language) return language;
  throw new AppError("unsupported_language", {
    message: `Unsupported language '${value}'. Supported languages: ${supported.map(({ name }) => name).join(", ")}.`,
    param,
    extra: { supported_languages: supported },
  });
};

/** Callers that must send every field send `auto`, as most translation programs do. */
const isLeftToTheModel = (value: string | null | undefined): value is "auto" | null | undefined =>
  value == null || value.trim().toLowerCase() === "auto";

/**
 * Translates a text. Languages are compared, so `lug` and `Luganda` are the same (specification, Translation, rule
 * 3).
 * @throws AppError `unsupported_language` and `same_language` with the list of languages; what the translator
 * throws.
 */
export const translate = async (
  request: TranslateRequest,
  { translator, signal }: { readonly translator: Translator; readonly signal: AbortSignal },
): Promise<TranslateResponse> => {
  const target = resolve(request.target_language, "target_language");
  const source = isLeftToTheModel(request.source_language)
    ? undefined
    : resolve(request.source_language, "source_language");
  if (source === target) {
    throw new AppError("same_language", {
      message: `Source and target language must be different; both are ${target.name}. Supported languages: ${supported.map(({ name }) => name).join(", ")}.`,
      param: "target_language",
      extra: { supported_languages: supported },
    });
  }
  const startedAt = performance.now();
  const { text, usage } = await translator.translate(
    { text: request.text, sourceLanguage: source?.name, targetLanguage: target.name },
    { signal },
  );
  countCharacters(request.text);
  return {
    id: `trans-${randomUUID().replaceAll("-", "")}`,
    status: "COMPLETED",
    output: {
      translated_text: text,
      text: null,
      source_language: source?.code ?? null,
      target_language: target.code,
      Error: null,
    },
    delayTime: null,
    executionTime: Math.round(performance.now() - startedAt),
    workerId: null,
    usage: usage ?? null,
  };
};
