import type * as z from "zod";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { ErrorCode } from "../../../shared/platform/errors/catalogue.ts";
import type { Texts } from "../texts/en.ts";
import { fill } from "../texts/languages.ts";

/** What is wrong with a form that was sent, in the words of the page's language. */
export interface FormProblems {
  /** What is wrong with all of it. */
  readonly form?: string | undefined;
  /** What is wrong with a field, by its name. */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

export const noProblems: FormProblems = { fields: {} };

type Issue = z.core.$ZodIssue;

/** Rules of our own say in `params.rule` which one was broken. */
const ruleOf = (issue: Issue): unknown => (issue.code === "custom" ? issue.params?.["rule"] : undefined);

const isAbsent = ({ input }: Issue): boolean => input === undefined || input === "";

const describeIssue = (issue: Issue, { problems }: Texts): string => {
  if (isAbsent(issue)) return problems.missing;
  const rule = ruleOf(issue);
  const known: Readonly<Record<string, string>> = problems;
  if (typeof rule === "string" && known[rule] !== undefined) return known[rule];
  if (issue.code === "invalid_format" && issue.format === "email") return problems.email;
  if (issue.code === "invalid_format" && issue.format === "date") return problems.notADate;
  if (issue.code === "too_small") {
    const words = issue.origin === "string" ? problems.tooShort : problems.tooSmall;
    return fill(words, { count: Number(issue.minimum) });
  }
  if (issue.code === "too_big") {
    const words = issue.origin === "string" ? problems.tooLong : problems.tooLarge;
    return fill(words, { count: Number(issue.maximum) });
  }
  return problems.other;
};

/** What a schema found, the first problem of each field. */
export const describeIssues = (issues: readonly Issue[], texts: Texts): FormProblems => {
  const fields: Record<string, string> = {};
  for (const issue of issues) {
    const name = String(issue.path[0] ?? "");
    fields[name] ??= describeIssue(issue, texts);
  }
  return { fields };
};

/** The words for an error in the page's language, where there are some. */
const wordsOf = ({ code, message, retryAfterSeconds }: AppError, { errors }: Texts): string => {
  const known: Partial<Record<ErrorCode, string>> = errors;
  return fill(known[code] ?? message, { seconds: retryAfterSeconds ?? 60 });
};

/** What a use case refused, beside the field that it names. */
export const describeRefusal = (error: AppError, texts: Texts, names: readonly string[]): FormProblems => {
  // A name is not asked for where a page only wants to be sure that its owner is there.
  const isPassword = error.code === "invalid_credentials" && error.param !== undefined;
  const words = isPassword ? texts.problems.wrongPassword : wordsOf(error, texts);
  return error.param !== undefined && names.includes(error.param)
    ? { fields: { [error.param]: words } }
    : { form: words, fields: {} };
};

/** Whether a form can be shown again with what was thrown: what is wrong on our side, or is not there, has its own page. */
export const canBeShownAgain = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.status < 500 &&
  !["unauthenticated", "not_found", "method_not_allowed"].includes(error.code);
