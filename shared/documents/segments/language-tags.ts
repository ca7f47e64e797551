/** The languages of a translation, as documents name them. */
export interface DocumentLanguages {
  /** All codes of the source, in lower case; `undefined` when it is not known. */
  readonly source?: readonly string[] | undefined;
  /** The tag of the target (BCP 47). */
  readonly target: string;
}

/** Returns the tag that a document has after its translation; `undefined` when it stays. */
export type RenameLanguage = (tag: string) => string | undefined;

/**
 * Returns a function for the tags of a document, in their order: those of the source become that of the target. When the source is not
 * known, the first tag of the document names it.
 */
export const languageRenamer = (languages: DocumentLanguages | undefined): RenameLanguage => {
  let source = languages?.source;
  return (tag) => {
    const code = /^\s*([a-z]{2,3})(?:[-_][a-z\d]+)*\s*$/i.exec(tag)?.[1]?.toLowerCase();
    if (!languages || code === undefined) return undefined;
    source ??= [code];
    return source.includes(code) && tag !== languages.target ? languages.target : undefined;
  };
};
