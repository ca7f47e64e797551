import { type ErrorCode, errorCatalogue } from "./catalogue.ts";

export interface AppErrorOptions {
  /** The message for the caller; by default the catalogue's. Never put a secret or a rejected value in it. */
  readonly message?: string | undefined;
  /** The request field that is at fault, as the OpenAI SDKs show it. */
  readonly param?: string | undefined;
  /** Members added to `error` in the body, such as `supported_languages`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Headers of the response that say more, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Seconds until another attempt makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** What really happened, for the log; never sent to the caller. */
  readonly cause?: unknown;
  /** Whether the request counts on its quota although it failed, because the service had to work to find that out. */
  readonly isCounted?: boolean | undefined;
}

/** The one error that reaches callers. Everything else that is thrown becomes `internal`. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly isCounted: boolean;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause });
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.param = options.param;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isCounted = options.isCounted ?? code === "unreadable_audio";
  }
}

/** One problem of a request, in the form of the specification's validation error body. */
export interface ValidationIssue {
  /** Where: `body`, `query` or `path`, then field names and list positions. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Pydantic's name of the rule that was broken, such as `missing` or `string_too_short`. */
  readonly type: string;
}

/** Where a field is, in the OpenAI API's notation: `messages[0].content`. @param loc as in {@link ValidationIssue} */
export const fieldPath = ([origin, ...path]: readonly PropertyKey[]): string | undefined => {
  const steps = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return steps.length > 0 ? steps.join("").replace(/^\./, "") : origin?.toString();
};

/** A request that breaks its contract: status 422. The rejected values themselves are never part of it. */
export class ValidationError extends AppError {
  readonly issues: readonly ValidationIssue[];

  /** @param code one of status 422, whose own message replaces the first problem's. */
  constructor(
    issues: readonly ValidationIssue[],
    code: "validation_failed" | "idempotency_key_reused" = "validation_failed",
  ) {
    const first = issues[0];
    super(code, {
      message: first && code === "validation_failed" ? `${first.loc.join(".")}: ${first.msg}` : undefined,
      param: first && fieldPath(first.loc),
    });
    this.issues = issues;
  }
}

/** The error of a request whose `Idempotency-Key` another request had. */
export const keyReused = (): ValidationError =>
  invalidField(["header", "idempotency-key"], "another request was sent with this key before", {
    code: "idempotency_key_reused",
  });

/**
 * The error of a request with one wrong field, for a rule that no schema expresses.
 *
 * @param loc where the field is, as in {@link ValidationIssue}.
 * @param problem what is wrong, such as `the first day is after the last`.
 * @param options.type Pydantic's name of the rule. A rule of our own is a `value_error`, whose message starts with
 * `Value error, `.
 */
export const invalidField = (
  loc: ValidationIssue["loc"],
  problem: string,
  { type = "value_error", code }: { type?: string; code?: "idempotency_key_reused" } = {},
): ValidationError =>
  new ValidationError(
    [{ loc, msg: type === "value_error" ? `Value error, ${problem}` : problem, type }],
    code,
  );
