const className = "UnreadableDocument";

interface UnreadableOptions extends ErrorOptions {
  readonly isTooLarge?: boolean;
}

/** The bytes are not a document of their format, or one that is too large to read. The message is for the caller. */
export class UnreadableDocument extends Error {
  override readonly name = className;
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false, ...options }: UnreadableOptions = {}) {
    super(message, options);
    this.isTooLarge = isTooLarge;
  }
}

/** Whether an error is one of a document. Modules that are loaded on demand have a class of their own, so its name decides. */
export const isUnreadableDocument = (error: unknown): error is UnreadableDocument =>
  error instanceof Error && error.name === className;
