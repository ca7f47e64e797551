import * as z from "zod";
import type { DocumentFormat } from "../../documents/document-formats.ts";
import type { DocumentOptions, OpenedDocument, WrittenDocument } from "../../documents/document-tools.ts";
import { isUnreadableDocument } from "../../documents/segments/unreadable-document.ts";
import { untranslatedReasons } from "../../documents/segments/untranslated-segment.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import type { StoredTranslation } from "./job.ts";
import { readJson } from "./job-objects.ts";
import { type JobName, jobObjects } from "./keys.ts";

/** The largest document. */
export const maxDocumentBytes = 10 * 1_024 * 1_024;
export const maxDocumentCharacters = 1_000_000;

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
    throw new AppError(code, { message: error.message, param: "file_id", cause: error });
  }
};

/** Opens the document of a job. @throws as {@link readDocument}. */
export const openJobDocument = async (
  source: ByteSource,
  { format, columns }: Pick<StoredTranslation, "columns" | "format">,
): Promise<OpenedDocument> => readDocument(await source.read(0, source.size), format, { columns });

/** Which passages a piece of a job translates. */
export const translationPiece = z.object({ from: z.int(), to: z.int() });
export type TranslationPiece = z.infer<typeof translationPiece>;

/** The result of a passage. */
export const passageResult = z.union([
  z.object({ response: z.string(), isJudged: z.literal(false).optional() }),
  z.object({ untranslated: z.enum(untranslatedReasons) }),
]);

/** The results of a piece's passages, in their order. */
const translatedPiece = z.array(passageResult.nullable());
type TranslatedPiece = z.infer<typeof translatedPiece>;

/** Pieces that are read in parallel. */
const atOnce = 16;

/** Writes the document of a job with what is translated so far. @throws the store's errors, and those of the document. */
export const writeJobDocument = async (
  name: JobName,
  job: StoredTranslation,
  source: ByteSource,
  store: Pick<ObjectStore, "open">,
): Promise<WrittenDocument> => {
  const plan = (await readJson(store, jobObjects.plan(name), z.array(translationPiece))) ?? [];
  const results: TranslatedPiece = [];
  const indexes = [...job.done];
  for (let start = 0; start < indexes.length; start += atOnce) {
    await Promise.all(
      indexes.slice(start, start + atOnce).map(async (index) => {
        const piece = await readJson(store, jobObjects.piece(name, index), translatedPiece);
        for (const [offset, result] of (piece ?? []).entries()) {
          results[(plan[index]?.from ?? 0) + offset] = result;
        }
      }),
    );
  }
  const document = await openJobDocument(source, job);
  return document.write(document.passages.map((_, index) => results[index] ?? undefined));
};
