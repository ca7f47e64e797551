import type * as z from "zod";
import { ValidationError } from "../errors/validation-error.ts";
import { validationIssues } from "./validation-issues.ts";

/** So many problems are told: an answer about each of 100,000 wrong elements would be too large to be sent. */
const maximumIssues = 100;

/**
 * Parses an untrusted value.
 *
 * @throws ValidationError that names each of the first 100 problems by its place, in Pydantic's vocabulary.
 */
export const validate = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  // Without reportInput an absent field and a field of the wrong type look the same.
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new ValidationError(result.error.issues.flatMap(validationIssues).slice(0, maximumIssues));
};
