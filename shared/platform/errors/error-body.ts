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

/** Where OpenAI's own errors differ from ours: its clients choose their class by the status, and read the code. */
const openAiErrors: Readonly<
  Partial<Record<ErrorCode, { readonly status?: number; readonly code?: string }>>
> = {
  validation_failed: { status: 400 },
  unknown_model: { status: 404, code: "model_not_found" },
  unauthenticated: { code: "invalid_api_key" },
  rate_limited: { code: "rate_limit_exceeded" },
  quota_exceeded: { code: "insufficient_quota" },
};

/** Whether a path belongs to the OpenAI API, whose errors callers expect there. */
export const isOpenAiPath = (path: string): boolean => path.startsWith("/v1/");

/** The error of a path that does not exist. */
export const unknownPath = (path: string): AppError =>
  new AppError(isOpenAiPath(path) ? "unknown_url" : "not_found");

/** The status of an error at a path. */
export const statusAt = (path: string, code: ErrorCode): number =>
  (isOpenAiPath(path) ? openAiErrors[code]?.status : undefined) ?? errorCatalogue[code].status;

/** The JSON body of an error at a path: on `/v1` with the codes of the OpenAI API. */
export const errorBodyAt = (path: string, error: AppError, requestId: string) => {
  const body = errorBody(error, requestId);
  const code = isOpenAiPath(path) ? openAiErrors[error.code]?.code : undefined;
  return code ? { ...body, error: { ...body.error, code } } : body;
};
