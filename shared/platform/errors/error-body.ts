import { type AppError, ValidationError, type ValidationIssue } from "./app-error.ts";
import { type ErrorCode, errorCatalogue } from "./catalogue.ts";

/** The JSON body of every error: `detail` for people used to FastAPI, `error` for the OpenAI SDKs. */
export interface ErrorBody {
  readonly detail: string | readonly ValidationIssue[];
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly [extra: string]: unknown;
  };
  readonly request_id: string;
}

/** The body for an error. `requestId` may also be a template variable, as in API Gateway's own responses. */
export const errorBody = (error: AppError, requestId: string): ErrorBody => ({
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

/** The body of errors where OAuth clients look: `error` is a word of RFC 6749, section 5.2. */
export interface OAuthErrorBody {
  readonly detail: ErrorBody["detail"];
  readonly error: string;
  readonly error_description: string;
  readonly request_id: string;
}

const oauthWord = (error: AppError): string => {
  if (error.code === "invalid_credentials") return "invalid_grant";
  if (error.status === 403) return "access_denied";
  if (error.status === 429 || error.status === 503) return "temporarily_unavailable";
  if (error.status >= 500) return "server_error";
  return error.param === "grant_type" ? "unsupported_grant_type" : "invalid_request";
};

/** The body for an error of a token endpoint. */
export const oauthErrorBody = (error: AppError, requestId: string): OAuthErrorBody => ({
  detail: error instanceof ValidationError ? error.issues : error.message,
  error: oauthWord(error),
  error_description: error.message,
  request_id: requestId,
});
