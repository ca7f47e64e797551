import {
  type DocumentFormat,
  detectFormat,
  documentFormats,
} from "../../shared/documents/document-formats.ts";
import type { DocumentOptions, OpenedDocument } from "../../shared/documents/document-tools.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import {
  maxDocumentBytes,
  maxDocumentCharacters,
  readDocument,
  refusedDocument,
} from "../../shared/recordings/jobs/job-document.ts";

/** A document that can be translated. */
export interface SourceDocument {
  readonly document: OpenedDocument;
  readonly format: DocumentFormat;
  /** The code points to translate, each distinct passage once. */
  readonly characters: number;
}

/** @throws AppError `file_too_large`. */
export const checkDocumentSize = (bytes: number): void => {
  if (bytes <= maxDocumentBytes) return;
  throw new AppError("file_too_large", { message: "The document is larger than 10 MB.", param: "file_id" });
};

/** Returns the format of a document. @throws AppError `unreadable_document` for one that is in none, with what it seems to be. */
const formatOf = (bytes: Uint8Array, fileName: string): DocumentFormat => {
  const format = detectFormat(bytes, fileName);
  if (typeof format === "string") return format;
  throw refusedDocument("unreadable_document", bytes, {
    message:
      `The document seems to be ${format.seems}, which cannot be read. Formats: ${documentFormats.join(", ")}. ` +
      "If it is in one of them, name it as `format`.",
  });
};

/**
 * Reads a document and counts its characters.
 *
 * @param options.format by default it follows from the document's content and its name.
 * @throws AppError `unreadable_document`, also for one without words; `file_too_large`.
 */
export const readSource = async (
  bytes: Uint8Array,
  fileName: string,
  options: DocumentOptions & { readonly format?: DocumentFormat | null | undefined } = {},
): Promise<SourceDocument> => {
  const format = options.format ?? formatOf(bytes, fileName);
  const document = await readDocument(bytes, format, options);
  const characters = document.passages.reduce((sum, length) => sum + length, 0);
  if (characters === 0) {
    const message = `The document has no words to translate; it was read as ${format}.`;
    throw refusedDocument("unreadable_document", bytes, { message });
  }
  if (characters > maxDocumentCharacters) {
    const message = `The document has ${characters} characters to translate; ${maxDocumentCharacters} are possible.`;
    throw refusedDocument("file_too_large", bytes, { message });
  }
  return { document, format, characters };
};
