import { AppError } from "./app-error.ts";

/** One problem of a request, in the form of the specification's validation error body. */
export interface ValidationIssue {
  /** Where: `body`, `query` or `path`, then field names and list positions. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Pydantic's name of the rule that was broken, such as `missing` or `string_too_short`. */
  readonly type: string;
}

/** A request that breaks its contract: status 422. The rejected values themselves are never part of it. */
export class ValidationError extends AppError {
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    const first = issues[0];
    super("validation_failed", {
      message: first && `${first.loc.join(".")}: ${first.msg}`,
      param: first && String(first.loc.at(-1)),
    });
    this.issues = issues;
  }
}
