const error = (status: number, message: string, type = "invalid_request_error") => ({
  status,
  type,
  message,
});

/**
 * The closed list of errors, as callers see them.
 *
 * `type` uses the OpenAI vocabulary, so that its SDKs raise the class a developer expects; `message` is sent when the
 * code that throws has nothing more precise.
 */
export const errorCatalogue = {
  validation_failed: error(422, "The request is not valid; `detail` names each problem."),
  bad_request: error(400, "The request cannot be processed."),
  unsupported_language: error(400, "The language is not supported."),
  same_language: error(400, "Source and target language must be different."),
  unreadable_audio: error(400, "The audio cannot be read: it is damaged, empty or in an unknown encoding."),
  unreadable_document: error(
    400,
    "The document cannot be read: it is damaged, empty or of an unknown format.",
  ),
  unknown_language: error(400, "Speech is not synthesised in this language."),
  invalid_speaker: error(400, "There is no such voice."),
  invalid_speaker_for_language: error(400, "The voice does not speak this language."),
  no_speaker_for_language: error(400, "The language has no voices."),
  unknown_model: error(400, "There is no such model."),
  too_many_keys: error(
    400,
    "The account has 20 keys, those that have expired among them; revoke one to make another.",
  ),
  unsupported_parameter: error(400, "This parameter is not supported; `error.param` names it."),
  context_length_exceeded: error(
    400,
    "The request is too long: it exceeds the model's maximum context length.",
  ),
  content_policy_violation: error(400, "The model's provider does not allow this content."),
  language_required: error(
    400,
    "The language of the recording is not known: name it in `language`, or up to three in `languages`, of which one is " +
      "determined. Or set the `default_language` or `default_languages` of your account with PUT /auth/profile.",
  ),
  invalid_link: error(400, "The link is not valid, has expired or was used before."),
  unauthenticated: error(
    401,
    "Not authenticated: the bearer token or API key is missing, invalid, expired or revoked. To get one, create an account in the " +
      "console or with POST /auth/register, then a key with POST /auth/keys.",
    "authentication_error",
  ),
  invalid_credentials: error(401, "Incorrect username or password.", "authentication_error"),
  second_factor_required: error(
    401,
    "The account has a second factor: send a code of its authenticator app, or a recovery code, as `otp`.",
    "authentication_error",
  ),
  invalid_code: error(401, "The code is wrong, or was used before.", "authentication_error"),
  forbidden: error(403, "This account has no permission for the resource.", "permission_error"),
  insufficient_scope: error(
    403,
    "This key cannot do this; the account's token can, or a key with the scope.",
    "permission_error",
  ),
  invalid_signature: error(403, "The signature of the delivery is missing or wrong.", "permission_error"),
  not_found: error(404, "There is nothing at this address.", "not_found_error"),
  unknown_url: error(
    404,
    "This service does not have this route of the OpenAI API. It has GET /v1/models, POST /v1/chat/completions, POST " +
      "/v1/responses, POST /v1/audio/transcriptions, POST /v1/audio/translations and POST /v1/audio/speech; for files " +
      "POST /tasks/generate-upload-url, and for batches POST /tasks/jobs.",
  ),
  model_not_found: error(404, "There is no such model; GET /v1/models lists those there are."),
  method_not_allowed: error(
    405,
    "This address does not support the request's method; `Allow` lists the methods it supports.",
  ),
  username_taken: error(409, "An account with this username exists."),
  email_taken: error(409, "An account with this email address exists."),
  request_in_progress: error(
    409,
    "The first request with this Idempotency-Key is still in progress; repeat it later to get its response.",
  ),
  callback_pending: error(
    409,
    "The callback is still being delivered; it can be sent again once its attempts have ended.",
  ),
  job_not_completed: error(409, "The job has no result yet; GET /tasks/jobs/{id} shows its progress."),
  upload_incomplete: error(
    409,
    "Some parts of the upload have not arrived yet; GET /tasks/uploads/{id} lists those that have.",
  ),
  idempotency_key_reused: error(
    422,
    "Another request was sent with this Idempotency-Key before; a new request needs a key of its own.",
  ),
  gone: error(410, "This address is no longer available; `Link` names its replacement."),
  payload_too_large: error(
    413,
    "The request is too large: at most 6 MB, and 4.4 MB for a file; upload larger ones through POST /tasks/generate-upload-url and send their file_id.",
  ),
  file_too_large: error(413, "A document may have at most 10 MB and a million characters."),
  rate_limited: error(429, "Too many requests; try again later.", "rate_limit_error"),
  quota_exceeded: error(
    429,
    "The quota of the account, or the limit of the key, is used up; `Retry-After` says when it is renewed.",
    "insufficient_quota",
  ),
  queue_full: error(
    429,
    "Recordings that are waiting take more than a day; `Retry-After` says when to try again.",
    "rate_limit_error",
  ),
  internal: error(500, "Something went wrong on our side.", "server_error"),
  external_service_error: error(502, "The model's server returned no usable response.", "server_error"),
  storage_unavailable: error(502, "The audio could not be stored or read; try again.", "server_error"),
  service_unavailable: error(
    503,
    "The model is loading or busy, or a part of the service cannot be reached; try again shortly.",
    "server_error",
  ),
};

/** One of the codes a caller can meet in `error.code`. */
export type ErrorCode = keyof typeof errorCatalogue;
