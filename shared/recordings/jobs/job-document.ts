import * as z from "zod";
import type { DocumentFormat } from "../../documents/document-formats.ts";
import type { DocumentOptions, OpenedDocument, WrittenDocument } from "../../documents/document-tools.ts";
import { readerVersion } from "../../documents/reader-version.ts";
import type { DocumentLanguages } from "../../documents/segments/language-tags.ts";
import { isUnreadableDocument } from "../../documents/segments/unreadable-document.ts";
import { untranslatedReasons } from "../../documents/segments/untranslated-segment.ts";
import { findLanguage, shortestCode } from "../../platform/catalogue/languages.ts";
import { AppError, type AppErrorOptions } from "../../platform/errors/app-error.ts";
import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import type { StoredTranslation } from "./job.ts";
import { putJson, readJson } from "./job-objects.ts";
import { type JobName, jobObjects } from "./keys.ts";
import { readResults } from "./piece-results.ts";

/** The largest document. */
export const maxDocumentBytes = 10 * 1_024 * 1_024;
export const maxDocumentCharacters = 1_000_000;

/** To read more than this and find no words costs the service work. */
const maxFreeBytes = 100_000;

/** The error for a document that cannot be translated, which counts as a request if it is large. */
export const refusedDocument = (
  code: "unreadable_document" | "file_too_large",
  bytes: Uint8Array,
  options: Pick<AppErrorOptions, "cause" | "message">,
): AppError => new AppError(code, { ...options, param: "file_id", isCounted: bytes.length > maxFreeBytes });

/** The parsers are a tenth of the functions that use them, and few requests need them. */
const loadDocumentTools = () => import("../../documents/document-tools.ts");

/** Reads a document. @throws AppError `unreadable_document`, `file_too_large`. */
export const readDocument = async (
  bytes: Uint8Array,
  format: DocumentFormat,
  options: DocumentOptions,
): Promise<OpenedDocument> => {
  const { openDocument } = await loadDocumentTools();
  try {
    return openDocument(bytes, format, options);
  } catch (error) {
    if (!isUnreadableDocument(error)) throw error;
    const code = error.isTooLarge ? "file_too_large" : "unreadable_document";
    throw refusedDocument(code, bytes, { message: error.message, cause: error });
  }
};

/** Returns the languages of a translation as documents name them. @param source its code, if it is known. */
export const documentLanguages = (source: string | undefined, target: string): DocumentLanguages => {
  const found = source === undefined ? undefined : findLanguage(source);
  const language = findLanguage(target);
  return {
    source: found ? [...new Set([shortestCode(found), found.code])] : undefined,
    target: language ? shortestCode(language) : target,
  };
};

/** Opens the document of a job. @throws as {@link readDocument}. */
export const openJobDocument = async (
  source: ByteSource,
  job: Pick<
    StoredTranslation,
    | "columns"
    | "detected_language"
    | "format"
    | "header"
    | "keep_fuzzy"
    | "retranslate"
    | "source_language"
    | "target_language"
  >,
): Promise<OpenedDocument> => {
  const { format, columns, header, retranslate, keep_fuzzy: keepsFuzzy } = job;
  const languages = documentLanguages(job.source_language ?? job.detected_language, job.target_language);
  return readDocument(await source.read(0, source.size), format, {
    columns,
    header,
    retranslate,
    keepsFuzzy,
    languages,
  });
};

/** A document of up to this size stays open between the pieces of its job; a larger one holds memory that others need. */
const maxOpen = { bytes: 1_024 * 1_024, passages: 5_000 } as const;

/** The document that was opened last, by its job. */
let lastOpened: { readonly name: string; readonly document: OpenedDocument } | undefined;

/** Opens the document of a job once for all of its pieces, one of which follows another. @throws as {@link readDocument}. */
export const openDocumentOnce = async (
  source: ByteSource,
  job: StoredTranslation,
): Promise<OpenedDocument> => {
  const name = `${job.user_id}/${job.id}`;
  if (lastOpened?.name === name) return lastOpened.document;
  lastOpened = undefined;
  const document = await openJobDocument(source, job);
  const isSmall = source.size <= maxOpen.bytes && document.passages.length <= maxOpen.passages;
  if (isSmall) lastOpened = { name, document };
  return document;
};

/** Which passages a piece of a job translates. */
const translationPiece = z.object({ from: z.int(), to: z.int() });
export type TranslationPiece = z.infer<typeof translationPiece>;

const pieces = z.array(translationPiece);
const storedPlan = z.union([pieces, z.object({ reader: z.int(), pieces })]);

/** Returns the plan of a document's job; `undefined` when there is none, or when another version of the readers has made it. */
export const readTranslationPlan = async (
  store: Pick<ObjectStore, "open">,
  name: JobName,
): Promise<TranslationPiece[] | undefined> => {
  const plan = await readJson(store, jobObjects.plan(name), storedPlan);
  return plan && !Array.isArray(plan) && plan.reader === readerVersion ? plan.pieces : undefined;
};

export const putTranslationPlan = (
  store: Pick<ObjectStore, "put">,
  name: JobName,
  planned: readonly TranslationPiece[],
): Promise<void> => putJson(store, jobObjects.plan(name), { reader: readerVersion, pieces: planned });

/** The result of a passage. */
export const passageResult = z.union([
  z.object({ response: z.string(), isJudged: z.literal(false).optional() }),
  z.object({ untranslated: z.enum(untranslatedReasons) }),
]);

/** Pieces that are read in parallel. */
const atOnce = 16;

/** The results of a job's passages so far, by their index. */
interface JobReplies {
  readonly results: readonly (z.infer<typeof passageResult> | null | undefined)[];
  /** Whether this version of the readers has numbered all of them. Those of others are left out. */
  readonly isCurrent: boolean;
}

const readReplies = async (
  name: JobName,
  { done }: Pick<StoredTranslation, "done">,
  store: Pick<ObjectStore, "open">,
): Promise<JobReplies> => {
  const plan = await readTranslationPlan(store, name);
  if (!plan) return { results: [], isCurrent: false };
  const results: JobReplies["results"][number][] = [];
  const indexes = [...done];
  let isCurrent = true;
  for (let start = 0; start < indexes.length; start += atOnce) {
    await Promise.all(
      indexes.slice(start, start + atOnce).map(async (index) => {
        const key = jobObjects.piece(name, index);
        const piece = await readResults(store, key, passageResult, readerVersion);
        isCurrent &&= piece !== undefined;
        for (const [offset, result] of (piece ?? []).entries()) {
          results[(plan[index]?.from ?? 0) + offset] = result;
        }
      }),
    );
  }
  return { results, isCurrent };
};

/**
 * Writes the document of a job with what is translated so far.
 *
 * @returns also whether this version of the readers has numbered all that is translated; the rest is left out.
 * @throws the store's errors, and those of the document.
 */
export const writeJobDocument = async (
  name: JobName,
  job: StoredTranslation,
  source: ByteSource,
  store: Pick<ObjectStore, "open">,
): Promise<WrittenDocument & Pick<JobReplies, "isCurrent">> => {
  const { results, isCurrent } = await readReplies(name, job, store);
  const document = await openDocumentOnce(source, job);
  // Nothing else is done with it.
  lastOpened = undefined;
  return { ...document.write(document.passages.map((_, index) => results[index] ?? undefined)), isCurrent };
};
