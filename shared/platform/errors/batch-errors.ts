import { AppError } from "./app-error.ts";
import { toAppError } from "./dependency-failure.ts";

/** Returns what a function returns for an item. @throws AppError with the item's position in its message and parameter. */
export const atItem = <Result>(index: number, choose: () => Result): Result => {
  try {
    return choose();
  } catch (thrown) {
    const error = toAppError(thrown);
    throw new AppError(error.code, {
      message: `item index ${index}: ${error.message}`,
      param: error.param && `items[${index}].${error.param}`,
      extra: error.extra,
      cause: thrown,
    });
  }
};

/**
 * Returns the error of a request whose items all failed: retryable only if every item is.
 *
 * @param sentence such as `No item could be translated.`
 */
export const allItemsFailed = (
  sentence: string,
  errors: readonly AppError[],
  results: readonly unknown[],
): AppError => {
  const [first] = errors;
  const isUnavailable = errors.every(({ code }) => code === "service_unavailable");
  return new AppError(isUnavailable ? "service_unavailable" : "external_service_error", {
    message: `${sentence} ${first?.message ?? ""}`.trim(),
    retryAfterSeconds: isUnavailable ? first?.retryAfterSeconds : undefined,
    extra: { results },
    cause: first,
  });
};
