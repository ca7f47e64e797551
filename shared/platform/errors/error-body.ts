import { type AppError, ValidationError } from "./app-error.ts";
import { errorCatalogue } from "./catalogue.ts";

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
  if (error.code === "invalid_credentials") return "invalid_grant";
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
