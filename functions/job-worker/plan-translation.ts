import type { OpenedDocument } from "../../shared/documents/document-tools.ts";
import type { TranslationPiece } from "../../shared/recordings/jobs/job-document.ts";

/** A piece is translated in well under the time of a worker, even by a slow model. */
const charactersOfPiece = 6_000;
const passagesOfPiece = 60;

/** Divides the passages of a document among pieces. */
export const planTranslation = ({ passages }: Pick<OpenedDocument, "passages">): TranslationPiece[] => {
  const pieces: TranslationPiece[] = [];
  let [from, characters] = [0, 0];
  for (const [index, length] of passages.entries()) {
    if (index > from && (characters + length > charactersOfPiece || index - from >= passagesOfPiece)) {
      pieces.push({ from, to: index });
      [from, characters] = [index, 0];
    }
    characters += length;
  }
  return [...pieces, { from, to: passages.length }];
};
