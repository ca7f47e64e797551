/**
 * An error as the Runtime API takes it.
 *
 * @typedef {{ errorType: string, errorMessage: string, trace: string[] }} ErrorReport
 */

/**
 * Describes what a function threw. Thrown values that are no errors keep their type and text, as on AWS.
 *
 * @param {unknown} error
 * @returns {ErrorReport}
 */
export function reportError(error) {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split("\n") ?? [] };
}

/**
 * An error of the runtime itself, under the name AWS gives it.
 *
 * @param {string} name such as `Runtime.HandlerNotFound`
 * @param {string} message
 */
export function runtimeError(name, message) {
  const error = new Error(message);
  error.name = name;
  return error;
}
