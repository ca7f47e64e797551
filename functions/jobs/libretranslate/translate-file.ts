import pLimit from "p-limit";
import type { CharacterQuota } from "../../../shared/accounts/limits/character-quota.ts";
import { contentTypeOf, translatedName } from "../../../shared/documents/document-formats.ts";
import type { OpenedDocument, WrittenDocument } from "../../../shared/documents/document-tools.ts";
import { mostlyUntranslated, passageRequests } from "../../../shared/documents/request-passage.ts";
import type { Translator } from "../../../shared/models/inference/translation.ts";
import { chooseLanguages, type LanguagePair } from "../../../shared/platform/catalogue/choose-languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { ObjectLinks } from "../../../shared/platform/storage/object-store.ts";
import { countUse } from "../../../shared/platform/telemetry/use.ts";
import { documentLanguages } from "../../../shared/recordings/jobs/job-document.ts";
import { checkDocumentSize, readSource } from "../read-source.ts";
import { type StoringDependencies, storeFile } from "../store-file.ts";
import type { LibreTranslateFileRequest } from "./contract.ts";

export interface FileTranslationDependencies extends StoringDependencies {
  readonly store: StoringDependencies["store"] & Pick<ObjectLinks, "signDownload">;
  readonly translator: Translator;
  readonly characters: CharacterQuota;
  /** How long a translation may take; by default 25 seconds, as clients wait no longer. */
  readonly maxMilliseconds?: number;
}

/** How many calls of the model run in parallel, so one caller does not occupy a GPU alone. */
const callsAtOnce = 4;

/**
 * Translates the passages of a document. When one fails, so do all. Replies that are no translations leave theirs as they are.
 *
 * @throws AppError `external_service_error` when most replies are none; what the translator throws.
 */
const translatePassages = async (
  document: OpenedDocument,
  { source, target }: LanguagePair,
  translator: Translator,
  signal: AbortSignal,
): Promise<WrittenDocument> => {
  const languages = { sourceLanguage: source?.name, targetLanguage: target.name };
  const stopped = new AbortController();
  const calls = { signal: AbortSignal.any([signal, stopped.signal]) };
  const results = await pLimit(callsAtOnce).map(document.passages, async (_, index) => {
    try {
      calls.signal.throwIfAborted();
      return await document.translatePassage(index, passageRequests(translator, languages, calls.signal));
    } catch (error) {
      stopped.abort(error);
      throw error;
    }
  });
  const written = document.write(results);
  if (written.isUntranslated) throw mostlyUntranslated();
  return written;
};

const takesTooLong = (error: unknown): AppError =>
  new AppError("file_too_large", {
    message:
      "The document takes too long for one request. Translate it through a job: upload it with POST /tasks/generate-upload-url, " +
      "and send its file_id to POST /tasks/jobs.",
    param: "file",
    cause: error,
  });

/**
 * Translates a small document, and stores the translation for a day. Counts its characters on the account's month, and deducts what
 * was not translated.
 *
 * @returns a link to it that needs no key.
 * @throws AppError `unsupported_language`, `same_language`, `unreadable_document`, `quota_exceeded`; `file_too_large` also for a
 * document that takes too long; what the translator and the store throw.
 */
export const translateFile = async (
  { file, source, target }: LibreTranslateFileRequest,
  { userId, signal }: { readonly userId: number; readonly signal: AbortSignal },
  dependencies: FileTranslationDependencies,
): Promise<{ translatedFileUrl: string }> => {
  const { translator, characters: quota, store, maxMilliseconds = 25_000 } = dependencies;
  const languages = chooseLanguages({ source_language: source, target_language: target });
  checkDocumentSize(file.content.length);
  const { document, format, characters } = await readSource(file.content, file.filename, {
    languages: documentLanguages(languages.source?.code, languages.target.code),
  });
  await quota.charge(userId, characters);
  const timeout = AbortSignal.timeout(maxMilliseconds);
  let translated = 0;
  try {
    const written = await translatePassages(
      document,
      languages,
      translator,
      AbortSignal.any([signal, timeout]),
    );
    const name = translatedName(file.filename, languages.target.code, format);
    const contentType = contentTypeOf(format);
    const { objectKey } = await storeFile(
      { name, content: written.bytes, contentType, userId },
      dependencies,
    );
    const fileName = objectKey.slice(objectKey.lastIndexOf("/") + 1).replaceAll(/[^\x20-\x7e]/g, "_");
    const { url } = await store.signDownload(objectKey, { contentType, fileName });
    translated = written.characters;
    countUse("characters", translated);
    return { translatedFileUrl: url };
  } catch (error) {
    throw timeout.aborted && !signal.aborted ? takesTooLong(error) : error;
  } finally {
    if (translated < characters) await quota.refund(userId, characters - translated);
  }
};
