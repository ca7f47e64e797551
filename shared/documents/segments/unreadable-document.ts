const className = "UnreadableDocument";

/** The bytes are not a document of their format. The message is for the caller. */
export class UnreadableDocument extends Error {
  override readonly name = className;
}

/** Whether an error is one of a document. Modules that are loaded on demand have a class of their own, so its name decides. */
export const isUnreadableDocument = (error: unknown): error is Error =>
  error instanceof Error && error.name === className;
