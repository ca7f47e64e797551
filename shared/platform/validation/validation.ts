import * as z from "zod";
import { AppError, fieldPath, ValidationError, type ValidationIssue } from "../errors/app-error.ts";
import { readUnsupported } from "./fields.ts";

type Issue = z.core.$ZodIssue;
type Described = readonly [type: string, msg: string];

const missing: Described = ["missing", "Field required"];

const count = (amount: number | bigint, noun: string) =>
  `${amount} ${noun}${Number(amount) === 1 ? "" : "s"}`;

const listed = (values: readonly unknown[]): string => {
  const quoted = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const last = quoted.pop();
  return quoted.length ? `${quoted.join(", ")} or ${last}` : String(last);
};

/** The message of an issue whose schema requires an integer. Callers never see it. */
const integerExpected = "integer expected";

/** zod says "number" where an integer is required; only an error map sees the schema. */
const markIntegers: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === "invalid_type" && inst instanceof z.ZodNumberFormat ? integerExpected : undefined;

const expectations: Readonly<Record<string, Described>> = {
  string: ["string_type", "Input should be a valid string"],
  number: ["float_type", "Input should be a valid number"],
  int: ["int_type", "Input should be a valid integer"],
  boolean: ["bool_type", "Input should be a valid boolean"],
  array: ["list_type", "Input should be a valid list"],
  object: ["dict_type", "Input should be a valid dictionary"],
  record: ["dict_type", "Input should be a valid dictionary"],
  never: ["extra_forbidden", "Extra inputs are not permitted"],
};

/** The words that Pydantic reads as a boolean: they are of the wrong type here, and not unreadable. */
const booleanWord = /^(true|false|t|f|yes|no|y|n|on|off|1|0)$/i;

const isNumeric = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));

const unreadableTexts: Readonly<Record<string, Described>> = {
  boolean: ["bool_parsing", "Input should be a valid boolean, unable to interpret input"],
  int: ["int_parsing", "Input should be a valid integer, unable to parse string as an integer"],
  number: ["float_parsing", "Input should be a valid number, unable to parse string as a number"],
};

/** A text instead of a number or a boolean: Pydantic distinguishes those that it cannot parse. */
const unreadable = (expected: string, text: string): Described | undefined => {
  const isReadable = expected === "boolean" ? booleanWord.test(text) : isNumeric(text);
  return isReadable ? undefined : unreadableTexts[expected];
};

const invalidType = (issue: z.core.$ZodIssueInvalidType): Described => {
  if (issue.input === undefined) return missing;
  const isWholeBody = issue.path.length === 1 && issue.path[0] === "body";
  if (isWholeBody) {
    return ["model_attributes_type", "Input should be a valid dictionary or object to extract fields from"];
  }
  if (issue.expected === "int" && typeof issue.input === "number") {
    return ["int_from_float", "Input should be a valid integer, got a number with a fractional part"];
  }
  const expected = issue.message === integerExpected ? "int" : issue.expected;
  const described = typeof issue.input === "string" ? unreadable(expected, issue.input) : undefined;
  return described ?? expectations[expected] ?? ["value_error", `Value error, ${issue.message}`];
};

const outOfBounds = (issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Described => {
  const isSmall = issue.code === "too_small";
  const bound = isSmall ? issue.minimum : issue.maximum;
  const allowed = isSmall ? "at least" : "at most";
  if (issue.origin === "string") {
    const type = isSmall ? "string_too_short" : "string_too_long";
    return [type, `String should have ${allowed} ${count(bound, "character")}`];
  }
  if (issue.origin === "array") {
    const length = Array.isArray(issue.input) ? issue.input.length : 0;
    const type = isSmall ? "too_short" : "too_long";
    return [type, `List should have ${allowed} ${count(bound, "item")} after validation, not ${length}`];
  }
  const [type, comparison] = isSmall ? ["greater_than", "greater than"] : ["less_than", "less than"];
  return issue.inclusive
    ? [`${type}_equal`, `Input should be ${comparison} or equal to ${bound}`]
    : [type, `Input should be ${comparison} ${bound}`];
};

const formats: Readonly<Record<string, Described>> = {
  guid: ["uuid_parsing", "Input should be a valid UUID"],
  date: ["date_parsing", "Input should be a valid date in the format YYYY-MM-DD"],
  datetime: [
    "datetime_parsing",
    "Input should be a valid datetime with a time zone, such as 2026-12-31T23:59:59Z",
  ],
};

const invalidFormat = ({ format, message }: z.core.$ZodIssueInvalidStringFormat): Described =>
  formats[format] ?? [format === "regex" ? "string_pattern_mismatch" : "value_error", message];

/** A rule of our own names its Pydantic type in `params.type`. */
const custom = (issue: z.core.$ZodIssueCustom): Described => {
  const type: unknown = issue.params?.["type"];
  return typeof type === "string" ? [type, issue.message] : ["value_error", `Value error, ${issue.message}`];
};

const describe = (issue: Exclude<Issue, z.core.$ZodIssueUnrecognizedKeys>): Described => {
  switch (issue.code) {
    case "invalid_type":
      return invalidType(issue);
    case "too_small":
    case "too_big":
      return outOfBounds(issue);
    case "invalid_value":
      return issue.input === undefined
        ? missing
        : [issue.values.length > 1 ? "enum" : "literal_error", `Input should be ${listed(issue.values)}`];
    case "invalid_format":
      return invalidFormat(issue);
    case "custom":
      return custom(issue);
    default:
      return issue.input === undefined ? missing : ["value_error", `Value error, ${issue.message}`];
  }
};

/**
 * One zod issue in the words FastAPI callers know (types and messages of Pydantic 2.13). Never carries the
 * rejected value: it may be a password.
 */
const validationIssues = (issue: Issue): ValidationIssue[] => {
  const loc = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: "Extra inputs are not permitted",
      type: "extra_forbidden",
    }));
  }
  const [type, msg] = describe(issue);
  return [{ loc, msg, type }];
};

/** The unsupported value of an issue, or of one of the alternatives of a union. */
const unsupportedIn = (issue: Issue, parent: readonly PropertyKey[] = []): AppError | undefined => {
  const path = [...parent, ...issue.path];
  const message = readUnsupported(issue.message);
  if (message !== undefined) {
    const member = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    return new AppError("unsupported_parameter", { message, param: fieldPath([...path, ...member]) });
  }
  if (issue.code !== "invalid_union") return undefined;
  for (const inner of issue.errors.flat()) {
    const found = unsupportedIn(inner, path);
    if (found) return found;
  }
  return undefined;
};

/** The maximum number of reported problems: a response about 100,000 wrong elements would be too large to send. */
const maxIssues = 100;

/**
 * Parses an untrusted value.
 *
 * @throws ValidationError that names each of the first 100 problems by its path, in Pydantic's vocabulary; AppError
 * `unsupported_parameter` for well-formed values that are not supported.
 */
export const validate = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  // Without reportInput an absent field and a field of the wrong type look the same.
  const result = schema.safeParse(value, { reportInput: true, error: markIntegers });
  if (result.success) return result.data;
  const { issues } = result.error;
  const refusals = issues.map((issue) => unsupportedIn(issue));
  const mistakes = issues.filter((_issue, index) => !refusals[index]);
  const [refusal] = refusals;
  if (refusal && mistakes.length === 0) throw refusal;
  throw new ValidationError(mistakes.flatMap(validationIssues).slice(0, maxIssues));
};
