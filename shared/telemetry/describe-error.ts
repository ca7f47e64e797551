/**
 * Errors whose message quotes what was read: V8's about JSON shows the text around the fault, zod's the names of keys.
 * It may be what a person said, or what a model made of it.
 */
const quotingErrors: ReadonlySet<string> = new Set(["SyntaxError", "ZodError", "$ZodError"]);

/** An error for the log: its name, its sentence unless that may quote somebody, and where it was thrown. */
export const describeError = (
  error: unknown,
): { readonly name: string; readonly message: string | undefined; readonly stack: string[] } | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack = "" } = error;
  return {
    name,
    message: quotingErrors.has(name) ? undefined : message,
    // The stack begins with the message.
    stack: stack.split("\n").filter((line) => /^\s+at /.test(line)),
  };
};
