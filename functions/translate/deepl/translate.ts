import { ReplyWithHeaders } from "../../../shared/http/response.ts";
import { chooseLanguages } from "../../../shared/platform/catalogue/choose-languages.ts";
import { findLanguage, type Language, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { TextToTranslate } from "../prepare-text.ts";
import { translateAll } from "../translate-all.ts";
import { characterHeaders, type TextDependencies } from "../translate-texts.ts";
import type { DeeplTranslateRequest, DeeplTranslateResponse } from "./contract.ts";

/** ISO 639-2 for a language that is not known. Clients of DeepL refuse an empty one. */
const undetermined = "UND";

/** The code of the source language: as the request has it, or as the text shows it. */
const detectedLanguage = (
  sample: string,
  source: Language | undefined,
  written: string | undefined,
  { sourceDetector }: Pick<TextDependencies, "sourceDetector">,
): string => {
  if (source)
    return (written?.toLowerCase() === source.code ? source.code : shortestCode(source)).toUpperCase();
  const found = findLanguage(sourceDetector.detect(sample)?.code ?? "");
  return found ? shortestCode(found).toUpperCase() : undetermined;
};

const refuse = (param: string, message: string): AppError =>
  new AppError("unsupported_parameter", { message, param });

/** @throws AppError `unsupported_parameter` for options of tags that would have no effect. */
const checkTagOptions = (request: DeeplTranslateRequest): void => {
  const {
    tag_handling: handling,
    ignore_tags,
    splitting_tags,
    non_splitting_tags,
    outline_detection,
  } = request;
  if (handling === undefined && ignore_tags?.length) {
    throw refuse("ignore_tags", "`ignore_tags` needs `tag_handling`: `html` or `xml`.");
  }
  if (handling === "xml") return;
  const forXml = { splitting_tags: splitting_tags?.length, non_splitting_tags: non_splitting_tags?.length };
  const found = Object.entries(forXml).find(([, length]) => length)?.[0];
  const param = found ?? (outline_detection === false ? "outline_detection" : undefined);
  if (param) throw refuse(param, `\`${param}\` is only supported with \`tag_handling=xml\`.`);
};

/** How the texts of a request are read. */
const optionsOf = (
  request: DeeplTranslateRequest,
): Pick<TextToTranslate, "format" | "keepsLines" | "markup"> => {
  const { tag_handling: handling, split_sentences: split } = request;
  if (handling === undefined) return { format: "text", keepsLines: split === "1" };
  const names = (request.ignore_tags ?? []).map((name) => (handling === "html" ? name.toLowerCase() : name));
  return {
    format: handling,
    markup: {
      ignored: new Set(names),
      splitting: new Set(request.splitting_tags),
      nonSplitting: new Set(request.non_splitting_tags),
      hasOutline: request.outline_detection ?? true,
    },
  };
};

/**
 * Translates the texts of a request for clients of DeepL.
 *
 * @throws AppError `unsupported_language`, `same_language`, `unsupported_parameter`; as {@link translateAll} does.
 */
export const translateForDeepl = async (
  request: DeeplTranslateRequest,
  caller: { readonly userId: number; readonly signal: AbortSignal },
  dependencies: TextDependencies,
): Promise<ReplyWithHeaders<DeeplTranslateResponse>> => {
  checkTagOptions(request);
  const { source_lang: written, target_lang: target, model_type: modelType, context } = request;
  const languages = chooseLanguages({ source_language: written, target_language: target });
  const texts = [request.text]
    .flat()
    .map((text) =>
      request.split_sentences === "nonewlines" ? text.replaceAll(/(?:(?<!\s)\s+)?\n\s*/g, " ") : text,
    );
  const options = { ...languages, ...optionsOf(request), context, param: "text" };
  const { translations, status } = await translateAll(texts, options, caller, dependencies);
  return new ReplyWithHeaders(
    {
      translations: translations.map(({ text, characters, sample }) => ({
        detected_source_language: detectedLanguage(sample, languages.source, written, dependencies),
        text,
        ...(request.show_billed_characters ? { billed_characters: characters } : {}),
        ...(modelType ? { model_type_used: modelType.replace("prefer_", "") } : {}),
      })),
    },
    characterHeaders(status),
  );
};
