import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ErrorCode } from "../../platform/errors/catalogue.ts";
import type { Texts } from "../texts/languages.ts";
import { fill } from "../texts/languages.ts";

/** The problems of a form, in the language of the page. */
export interface FormProblems {
  /** The problem of the form as a whole. */
  readonly form?: string | undefined;
  /** By the names of fields. */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

export const noProblems: FormProblems = { fields: {} };

type Issue = z.core.$ZodIssue;

/** Our own rules set `params.rule`. */
const ruleOf = (issue: Issue): unknown => (issue.code === "custom" ? issue.params?.["rule"] : undefined);

const isAbsent = ({ input }: Issue): boolean => input === undefined || input === "";

const typed = ({ input }: Issue): string => (typeof input === "string" ? input : "");

type Words = Texts["problems"];

/** What is wrong with an address: its hint already says that it must be one. */
const describeEmail = (issue: Issue, problems: Words): string => {
  const [, domain] = typed(issue).split("@");
  if (domain === undefined) return problems.emailSign;
  return /.\../.test(domain) ? problems.email : problems.emailDomain;
};

const lengths = z.object({ minimum: z.number(), maximum: z.number() });

/** What is wrong with a username: a character that it cannot have, or its length. */
const describeUsername = (issue: Issue, problems: Words): string => {
  const name = typed(issue);
  if (/\s/.test(name)) return problems.usernameSpaces;
  const [character] = /[^A-Za-z0-9._-]/u.exec(name) ?? [];
  if (character !== undefined) return fill(problems.username, { character });
  const known = lengths.safeParse(issue.code === "custom" ? issue.params : undefined).data;
  if (!known) return problems.other;
  const { minimum, maximum } = known;
  return name.length < minimum
    ? fill(problems.tooShort, { count: minimum, length: name.length })
    : fill(problems.tooLong, { count: maximum, length: name.length });
};

const describeIssue = (issue: Issue, { problems }: Texts): string => {
  const rule = ruleOf(issue);
  if (rule === "terms") return problems.terms;
  if (isAbsent(issue)) return problems.missing;
  if (rule === "username") return describeUsername(issue, problems);
  const known: Readonly<Record<string, string>> = problems;
  if (typeof rule === "string" && known[rule] !== undefined) return known[rule];
  if (issue.code === "invalid_format" && issue.format === "email") return describeEmail(issue, problems);
  if (issue.code === "invalid_format" && issue.format === "date") return problems.notADate;
  const { length } = typed(issue);
  if (issue.code === "too_small") {
    const words = issue.origin === "string" ? problems.tooShort : problems.tooSmall;
    return fill(words, { count: Number(issue.minimum), length });
  }
  if (issue.code === "too_big") {
    const words = issue.origin === "string" ? problems.tooLong : problems.tooLarge;
    return fill(words, { count: Number(issue.maximum), length });
  }
  return problems.other;
};

/** The first problem of each field. */
export const describeIssues = (issues: readonly Issue[], texts: Texts): FormProblems => {
  const fields: Record<string, string> = {};
  for (const issue of issues) {
    const name = String(issue.path[0] ?? "");
    fields[name] ??= describeIssue(issue, texts);
  }
  return { fields };
};

const wordsOf = ({ code, message, retryAfterSeconds }: AppError, { errors }: Texts): string => {
  const known: Partial<Record<ErrorCode, string>> = errors;
  return fill(known[code] ?? message, { seconds: retryAfterSeconds ?? 60 });
};

/** An error of a use case, at the field that its `param` names. */
export const describeRefusal = (error: AppError, texts: Texts, names: readonly string[]): FormProblems => {
  // Pages that confirm the password have no username to be wrong.
  const isPassword = error.code === "invalid_credentials" && error.param !== undefined;
  const words = isPassword ? texts.problems.wrongPassword : wordsOf(error, texts);
  return error.param !== undefined && names.includes(error.param)
    ? { fields: { [error.param]: words } }
    : { form: words, fields: {} };
};

/** Whether the form can be shown again with this error; others have a page of their own. */
export const canBeShownAgain = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.status < 500 &&
  !["unauthenticated", "not_found", "method_not_allowed"].includes(error.code);
