/** API Gateway's default error response: status, message, and the error's name in `x-amzn-ErrorType`. */
interface FaultKind {
  readonly status: number;
  readonly message: string | null;
  readonly errorType?: string;
}

/**
 * The refusals of a REST API that happen locally ("Gateway response types", API Gateway developer guide). Null
 * messages are API Gateway's own; the documented 504 of INTEGRATION_FAILURE is for unreachable endpoints, while a
 * function that fails or returns nonsense leads to 502.
 */
const faultKinds = {
  ACCESS_DENIED: {
    status: 403,
    message: "User is not authorized to access this resource",
    errorType: "AccessDeniedException",
  },
  API_CONFIGURATION_ERROR: {
    status: 500,
    message: "Internal server error",
    errorType: "InternalServerErrorException",
  },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    message: null,
    errorType: "AuthorizerConfigurationException",
  },
  AUTHORIZER_FAILURE: { status: 500, message: null },
  BAD_REQUEST_PARAMETERS: { status: 400, message: "Bad Request", errorType: "BadRequestException" },
  INTEGRATION_FAILURE: {
    status: 502,
    message: "Internal server error",
    errorType: "InternalServerErrorException",
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: "Endpoint request timed out",
    errorType: "InternalServerErrorException",
  },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: "Missing Authentication Token",
    errorType: "MissingAuthenticationTokenException",
  },
  REQUEST_TOO_LARGE: { status: 413, message: "Request Too Long" },
  UNAUTHORIZED: { status: 401, message: "Unauthorized", errorType: "UnauthorizedException" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "Unsupported Media Type" },
} as const satisfies Record<string, FaultKind>;

type FaultType = keyof typeof faultKinds;

/** A request that is refused, or that failed, before the response has started. */
export interface Fault {
  readonly type: FaultType;
  readonly status: number;
  readonly message: string | null;
  readonly errorType: string | undefined;
  /** What an authorizer said about the caller whom it refused. */
  readonly authorizer: Readonly<Record<string, unknown>> | undefined;
}

export const createFault = (
  type: FaultType,
  details: { message?: string; authorizer?: Record<string, unknown> } = {},
): Fault => {
  const kind: FaultKind = faultKinds[type];
  return {
    type,
    status: kind.status,
    message: details.message ?? kind.message,
    errorType: kind.errorType,
    authorizer: details.authorizer,
  };
};
