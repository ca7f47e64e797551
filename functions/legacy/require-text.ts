import { AppError } from "../../shared/platform/errors/app-error.ts";

/** Returns the trimmed text of a field. @throws AppError `bad_request` when it is blank or has too many characters. */
export const requireText = (text: string, maxLength: number, field: "instruction" | "text"): string => {
  const trimmed = text.trim();
  if (trimmed !== "" && [...trimmed].length <= maxLength) return trimmed;
  throw new AppError("bad_request", {
    message: `The ${field} must have 1 to ${maxLength} characters.`,
    param: field,
  });
};
