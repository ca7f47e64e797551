/** The largest request body API Gateway takes ("Payload size", API Gateway quotas). */
export const MAXIMUM_REQUEST_BYTES = 10 * 1024 * 1024;

/** The largest request line and headers together ("Total combined size of request line and header values", ibid.). */
export const MAXIMUM_HEAD_BYTES = 10_240;

/** Bodies for local-only routes stand for files that would never pass through API Gateway. */
export const MAXIMUM_LOCAL_BODY_BYTES = 100 * 1024 * 1024;
