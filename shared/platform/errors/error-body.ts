import { AppError, ValidationError } from "./app-error.ts";
import { type ErrorCode, errorCatalogue } from "./catalogue.ts";

/**
 * The JSON body of every error: `detail` for people used to FastAPI, `error` for the OpenAI SDKs.
 *
 * @param requestId may also be a template variable, as in API Gateway's own responses.
 */
export const errorBody = (error: AppError, requestId: string) => ({
  detail: error instanceof ValidationError ? error.issues : error.message,
  error: {
    ...error.extra,
    code: error.code,
    message: error.message,
    type: errorCatalogue[error.code].type,
    param: error.param ?? null,
  },
  request_id: requestId,
});

/** RFC 6749, section 5.2. */
const oauthWord = (error: AppError): string => {
  if (error.code === "invalid_credentials" || error.code === "invalid_code") return "invalid_grant";
  // Not a word of the RFC, which allows others for what it does not know.
  if (error.code === "second_factor_required") return error.code;
  if (error.status === 403) return "access_denied";
  if (error.status === 429 || error.status === 503) return "temporarily_unavailable";
  if (error.status >= 500) return "server_error";
  return error.param === "grant_type" ? "unsupported_grant_type" : "invalid_request";
};

/** The JSON body of errors for OAuth clients. */
export const oauthErrorBody = (error: AppError, requestId: string) => ({
  detail: error instanceof ValidationError ? error.issues : error.message,
  error: oauthWord(error),
  error_description: error.message,
  request_id: requestId,
});

/** APIs of others that this service speaks too, so that their clients work unchanged. */
export type Dialect = "openai" | "deepl" | "libretranslate";

/** What the errors of an API differ in from ours: its clients choose their class by the status, and may read the code. */
type DialectErrors = Readonly<Partial<Record<ErrorCode, DialectError>>>;

interface DialectError {
  readonly status?: number;
  readonly code?: string;
  /** Replaces the catalogue's. */
  readonly message?: string;
}

interface DialectRules {
  /** What its paths begin with. */
  readonly prefix: string;
  readonly errors: DialectErrors;
}

const dialects: Readonly<Record<Dialect, DialectRules>> = {
  openai: {
    prefix: "/v1/",
    errors: {
      validation_failed: { status: 400 },
      unknown_model: { status: 404, code: "model_not_found" },
      unauthenticated: { code: "invalid_api_key" },
      rate_limited: { code: "rate_limit_exceeded" },
      quota_exceeded: { code: "insufficient_quota" },
    },
  },
  deepl: {
    prefix: "/deepl/",
    errors: {
      validation_failed: { status: 400 },
      unauthenticated: {
        status: 403,
        message:
          "Authorization failed: the key in `Authorization: DeepL-Auth-Key …` is missing, invalid, expired or revoked.",
      },
      quota_exceeded: { status: 456 },
      job_not_completed: { status: 503 },
    },
  },
  libretranslate: {
    prefix: "/libretranslate/",
    errors: {
      validation_failed: { status: 400 },
      unauthenticated: {
        status: 403,
        message: "Invalid API key: `api_key` is missing, invalid, expired or revoked.",
      },
    },
  },
};

const dialectNames = ["openai", "deepl", "libretranslate"] as const satisfies readonly Dialect[];

/** The paths of the dialects, for responses to paths below them that do not exist. */
export const dialectPrefixes = dialectNames.map((name) => dialects[name].prefix);

/** The API of others that a path belongs to, whose errors callers expect there. */
export const dialectOf = (path: string): Dialect | undefined =>
  dialectNames.find((name) => path.startsWith(dialects[name].prefix));

const dialectError = (path: string, code: ErrorCode): DialectErrors[ErrorCode] => {
  const dialect = dialectOf(path);
  return dialect && dialects[dialect].errors[code];
};

/** The error of a path that does not exist. */
export const unknownPath = (path: string): AppError =>
  new AppError(dialectOf(path) === "openai" ? "unknown_url" : "not_found");

/** The status of an error at a path. */
export const statusAt = (path: string, code: ErrorCode): number =>
  dialectError(path, code)?.status ?? errorCatalogue[code].status;

/** The code of an error at a path, as its body has it. */
export const errorCodeAt = (path: string, code: ErrorCode): string => dialectError(path, code)?.code ?? code;

/** The JSON body of an error at a path: in the form of the API that the path belongs to. */
export const errorBodyAt = (path: string, error: AppError, requestId: string) => {
  const dialect = dialectOf(path);
  const { code } = error;
  const message =
    (error.message === errorCatalogue[code].message && dialectError(path, code)?.message) || error.message;
  if (dialect === "deepl") return { message, code, request_id: requestId };
  if (dialect === "libretranslate") return { error: message, code, request_id: requestId };
  const body = errorBody(error, requestId);
  return { ...body, error: { ...body.error, code: errorCodeAt(path, code) } };
};
