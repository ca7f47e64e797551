import pLimit from "p-limit";
import * as z from "zod";
import type { OpenedDocument } from "../../shared/documents/document-tools.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import { findLanguage } from "../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranslation } from "../../shared/recordings/jobs/job.ts";
import {
  openJobDocument,
  type TranslatedPiece,
  type TranslationPiece,
  translatedPiece,
  translationPiece,
} from "../../shared/recordings/jobs/job-document.ts";
import { putJson, readJson } from "../../shared/recordings/jobs/job-objects.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { openJobRecording } from "./plan-job.ts";

export interface PieceTranslationDependencies {
  readonly store: Pick<ObjectStore, "open" | "put">;
  readonly translator: Translator;
}

/** How many passages of a piece are translated at a time. */
const passagesAtOnce = 4;

/** Translates the passages that have no result yet, and enters their results. @throws the model's errors. */
const translatePassages = async (
  document: OpenedDocument,
  { from, to }: TranslationPiece,
  results: TranslatedPiece,
  job: StoredTranslation,
  { translator, signal }: { readonly translator: Translator; readonly signal: AbortSignal },
): Promise<void> => {
  const languages = {
    sourceLanguage: job.source_language && findLanguage(job.source_language)?.name,
    targetLanguage: findLanguage(job.target_language)?.name ?? job.target_language,
  };
  const missing = Array.from({ length: to - from }, (_, offset) => offset).filter(
    (offset) => !results[offset],
  );
  const failed = new AbortController();
  const calls = { signal: AbortSignal.any([signal, failed.signal]) };
  await pLimit(passagesAtOnce).map(missing, async (offset) => {
    try {
      calls.signal.throwIfAborted();
      results[offset] = await document.translatePassage(from + offset, async (text, { keep }) => {
        const translated = await translator.translate({ text, keep, ...languages }, calls);
        return translated.text;
      });
    } catch (error) {
      // The others would fail as well, or be lost when the worker ends.
      failed.abort(error);
      throw error;
    }
  });
};

/**
 * Translates a piece and stores the results of its passages. When the model fails, those that it has translated stay, so that no
 * passage is translated twice.
 *
 * @returns the characters that were translated; passages that stayed as they were do not count.
 * @throws the errors of the store and the model.
 */
export const translatePiece = async (
  name: JobName,
  index: number,
  job: StoredTranslation,
  { store, translator }: PieceTranslationDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const plan = await readJson(store, jobObjects.plan(name), z.array(translationPiece));
  const piece = plan?.[index];
  if (!piece) throw new AppError("internal");
  const document = await openJobDocument(await openJobRecording(store, job), job);
  const read = (key: string) => readJson(store, key, translatedPiece);
  // The whole piece is stored when its worker was killed before the piece was counted.
  const stored =
    (await read(jobObjects.piece(name, index))) ?? (await read(jobObjects.parts(name, index))) ?? [];
  const results: TranslatedPiece = Array.from(
    { length: piece.to - piece.from },
    (_, offset) => stored[offset] ?? null,
  );
  try {
    await translatePassages(document, piece, results, job, { translator, signal });
  } catch (error) {
    await putJson(store, jobObjects.parts(name, index), results);
    throw error;
  }
  await putJson(store, jobObjects.piece(name, index), results);
  return results.reduce(
    (sum, result, offset) =>
      sum + (result && "response" in result ? (document.passages[piece.from + offset] ?? 0) : 0),
    0,
  );
};
