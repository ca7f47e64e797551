import { readerVersion } from "../../shared/documents/reader-version.ts";
import { passageRequests } from "../../shared/documents/request-passage.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranslation } from "../../shared/recordings/jobs/job.ts";
import {
  openDocumentOnce,
  passageResult,
  readTranslationPlan,
} from "../../shared/recordings/jobs/job-document.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import { fillPiece } from "./fill-piece.ts";
import { openJobRecording } from "./plan-job.ts";
import { translationNames } from "./translation-names.ts";

export interface PieceTranslationDependencies {
  readonly store: Pick<ObjectStore, "open" | "put">;
  readonly translator: Translator;
}

/** How many passages of a piece are translated at a time. */
export const modelCallsAtOnce = 4;

/**
 * Translates a piece and stores the results of its passages.
 *
 * @returns the characters that were translated; passages that stayed as they were do not count. `undefined` when another version of
 * the readers has planned the job.
 * @throws the errors of the store and the model.
 */
export const translatePiece = async (
  name: JobName,
  index: number,
  job: StoredTranslation,
  { store, translator }: PieceTranslationDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const plan = await readTranslationPlan(store, name);
  if (!plan) return undefined;
  const piece = plan[index];
  if (!piece) throw new AppError("internal");
  const document = await openDocumentOnce(await openJobRecording(store, job), job);
  const languages = translationNames(job.source_language, job.target_language);
  const { from } = piece;
  const results = await fillPiece(
    name,
    index,
    { length: piece.to - from, schema: passageResult, atOnce: modelCallsAtOnce, reader: readerVersion },
    store,
    (offset, calls) =>
      document.translatePassage(from + offset, passageRequests(translator, languages, calls.signal)),
    signal,
  );
  return results.reduce(
    (sum, result, offset) => sum + ("response" in result ? (document.passages[from + offset] ?? 0) : 0),
    0,
  );
};
