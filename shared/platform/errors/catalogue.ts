/** An error in the request itself. */
const refused = (status: number, message: string) =>
  ({ status, type: "invalid_request_error", message }) as const;

/**
 * The closed list of errors, as callers see them.
 *
 * `type` uses the OpenAI vocabulary, so that its SDKs raise the class a developer expects; `message` is sent when the
 * code that throws has nothing more precise.
 */
export const errorCatalogue = {
  validation_failed: refused(422, "The request is not valid; `detail` names each problem."),
  bad_request: refused(400, "The request cannot be processed."),
  unsupported_language: refused(400, "The language is not supported."),
  same_language: refused(400, "Source and target language must be different."),
  unreadable_audio: refused(400, "The audio cannot be read: it is damaged, empty or in an unknown encoding."),
  unknown_language: refused(400, "Speech is not synthesised in this language."),
  invalid_speaker: refused(400, "There is no such voice."),
  invalid_speaker_for_language: refused(400, "The voice does not speak this language."),
  no_speaker_for_language: refused(400, "The language has no voices."),
  unknown_model: refused(400, "There is no such model."),
  too_many_keys: refused(
    400,
    "The account has 20 keys, those that have expired among them; revoke one to make another.",
  ),
  unsupported_parameter: refused(400, "This parameter is not supported; `error.param` names it."),
  language_required: refused(
    400,
    "The language of the recording is not known: name it in `language` or in the model (`stt-51:lug`), or set the " +
      "`default_language` of your account with PUT /auth/profile.",
  ),
  invalid_link: refused(400, "The link is not valid, has expired or was used before."),
  unauthenticated: {
    status: 401,
    type: "authentication_error",
    message: "Not authenticated: the bearer token is missing, invalid, expired or revoked.",
  },
  invalid_credentials: {
    status: 401,
    type: "authentication_error",
    message: "Incorrect username or password.",
  },
  forbidden: {
    status: 403,
    type: "permission_error",
    message: "This account has no permission for the resource.",
  },
  insufficient_scope: {
    status: 403,
    type: "permission_error",
    message: "This key cannot do this; the account's token can, or a key with the scope.",
  },
  invalid_signature: {
    status: 403,
    type: "permission_error",
    message: "The signature of the delivery is missing or wrong.",
  },
  not_found: { status: 404, type: "not_found_error", message: "There is nothing at this address." },
  model_not_found: refused(404, "There is no such model; GET /v1/models lists those there are."),
  method_not_allowed: refused(
    405,
    "This address does not support the request's method; `Allow` lists the methods it supports.",
  ),
  username_taken: refused(409, "An account with this username exists."),
  email_taken: refused(409, "An account with this email address exists."),
  request_in_progress: refused(
    409,
    "The first request with this Idempotency-Key is still in progress; repeat it later to get its response.",
  ),
  job_not_completed: refused(409, "The job has no result yet; GET /tasks/jobs/{id} shows its progress."),
  upload_incomplete: refused(
    409,
    "Some parts of the upload have not arrived yet; GET /tasks/uploads/{id} lists those that have.",
  ),
  idempotency_key_reused: refused(
    422,
    "Another request was sent with this Idempotency-Key before; a new request needs a key of its own.",
  ),
  gone: refused(410, "This address is no longer available; `Link` names its replacement."),
  payload_too_large: refused(
    413,
    "The request is too large: at most 6 MB, and 4.4 MB for a file; upload larger ones through POST /tasks/generate-upload-url and send their file_id.",
  ),
  rate_limited: { status: 429, type: "rate_limit_error", message: "Too many requests; try again later." },
  quota_exceeded: {
    status: 429,
    type: "insufficient_quota",
    message:
      "The quota of the account, or the limit of the key, is used up; `Retry-After` says when it is renewed.",
  },
  internal: { status: 500, type: "server_error", message: "Something went wrong on our side." },
  external_service_error: {
    status: 502,
    type: "server_error",
    message: "The model's server returned no usable response.",
  },
  storage_unavailable: {
    status: 502,
    type: "server_error",
    message: "The audio could not be stored or read; try again.",
  },
  service_unavailable: {
    status: 503,
    type: "server_error",
    message: "The model is loading or busy, or a part of the service cannot be reached; try again shortly.",
  },
} as const satisfies Record<string, { status: number; type: string; message: string }>;

/** One of the codes a caller can meet in `error.code`. */
export type ErrorCode = keyof typeof errorCatalogue;
