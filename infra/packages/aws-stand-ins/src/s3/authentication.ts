import { S3Error, type S3ErrorCode } from "./s3-error.ts";
import type { AuthenticatedRequest, S3Request } from "./s3-request.ts";
import { type CredentialScope, type SignatureClaims, signatureMatches } from "./signature.ts";

const sevenDaysInSeconds = 7 * 24 * 60 * 60;

/** What a request says of its own signature, before any of it is believed. */
interface RequestClaims extends SignatureClaims {
  readonly signedAt: number;
  /** Milliseconds since the epoch; undefined for a signed header, which is only valid around its own time. */
  readonly expiresAt: number | undefined;
  /** The code for any fault of the claims themselves. */
  readonly malformed: S3ErrorCode;
}

const parseTimestamp = (timestamp: string): number => {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(timestamp);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour, minute, second] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
};

const parseScope = (credential: string): CredentialScope | undefined => {
  const [terminator, service, region, date, ...accessKeyId] = credential.split("/").reverse();
  if (terminator !== "aws4_request" || !service || !region || !date) return undefined;
  // An access key identifier may itself hold slashes.
  return { accessKeyId: accessKeyId.reverse().join("/"), date, region, service };
};

const readHeaderClaims = (request: S3Request, authorization: string): RequestClaims => {
  const malformed = "AuthorizationHeaderMalformed";
  const match =
    /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  const [, credential = "", signedHeaders = "", signature = ""] = match ?? [];
  const scope = parseScope(credential);
  if (scope === undefined) throw new S3Error(malformed);
  const payloadHash = request.headers.get("x-amz-content-sha256");
  if (payloadHash === undefined) {
    throw new S3Error("InvalidRequest", { message: "Missing required header: x-amz-content-sha256." });
  }
  const timestamp = request.headers.get("x-amz-date") ?? "";
  const signedAt = parseTimestamp(timestamp);
  if (Number.isNaN(signedAt)) {
    throw new S3Error("AccessDenied", { message: "AWS authentication requires a valid x-amz-date header." });
  }
  return {
    scope,
    timestamp,
    signedHeaders: signedHeaders.split(";"),
    payloadHash,
    signature,
    signedAt,
    expiresAt: undefined,
    malformed,
  };
};

const readQueryClaims = ({ query }: S3Request): RequestClaims => {
  const malformed = "AuthorizationQueryParametersError";
  const scope = parseScope(query.get("X-Amz-Credential") ?? "");
  const timestamp = query.get("X-Amz-Date") ?? "";
  const signedAt = parseTimestamp(timestamp);
  const expires = query.get("X-Amz-Expires") ?? "";
  if (query.get("X-Amz-Algorithm") !== "AWS4-HMAC-SHA256" || scope === undefined || Number.isNaN(signedAt)) {
    throw new S3Error(malformed);
  }
  if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > sevenDaysInSeconds) {
    throw new S3Error(malformed, { message: "X-Amz-Expires must be between 1 and 604800 seconds." });
  }
  return {
    scope,
    timestamp,
    signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    payloadHash: query.get("X-Amz-Content-Sha256") ?? "UNSIGNED-PAYLOAD",
    signature: query.get("X-Amz-Signature") ?? "",
    signedAt,
    expiresAt: signedAt + Number(expires) * 1000,
    malformed,
  };
};

/**
 * Reads the signature of a request from its Authorization header or from the query of a presigned URL.
 *
 * @throws {S3Error} `AccessDenied` when there is neither, or the code for what is malformed.
 */
const readClaims = (request: S3Request): RequestClaims => {
  const authorization = request.headers.get("authorization");
  const presigned = request.query.has("X-Amz-Signature") || request.query.has("X-Amz-Algorithm");
  if (authorization !== undefined && presigned) {
    throw new S3Error("InvalidArgument", { message: "Only one authentication mechanism is allowed." });
  }
  if (authorization !== undefined) return readHeaderClaims(request, authorization);
  if (presigned) return readQueryClaims(request);
  throw new S3Error("AccessDenied");
};

const fifteenMinutes = 15 * 60_000;

const checkScope = ({ scope, timestamp, malformed }: RequestClaims, region: string): void => {
  if (scope.region !== region) {
    throw new S3Error(malformed, {
      message: `The region '${scope.region}' is wrong; expecting '${region}'.`,
    });
  }
  if (scope.service !== "s3" || scope.date !== timestamp.slice(0, 8)) throw new S3Error(malformed);
};

// Without this a holder of a link could add metadata or tags its maker never agreed to.
const checkSignedHeaders = (request: S3Request, { signedHeaders, malformed }: RequestClaims): void => {
  if (!signedHeaders.includes("host")) {
    throw new S3Error(malformed, { message: "The header host must be signed." });
  }
  const unsigned = [...request.headers.keys()].filter(
    (name) => name.startsWith("x-amz-") && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw new S3Error("AccessDenied", {
      message: "There were headers present in the request which were not signed",
      details: { HeadersNotSigned: unsigned.join(", ") },
    });
  }
};

const checkTime = ({ signedAt, expiresAt }: RequestClaims, now: number): void => {
  const serverTime = { ServerTime: new Date(now).toISOString() };
  if (expiresAt === undefined) {
    if (Math.abs(now - signedAt) > fifteenMinutes) {
      throw new S3Error("RequestTimeTooSkewed", { details: serverTime });
    }
    return;
  }
  if (signedAt > now + fifteenMinutes) {
    throw new S3Error("AccessDenied", { message: "Request is not yet valid", details: serverTime });
  }
  if (now > expiresAt) {
    throw new S3Error("AccessDenied", {
      message: "Request has expired",
      details: { Expires: new Date(expiresAt).toISOString(), ...serverTime },
    });
  }
};

/**
 * Verifies that the request was signed with the secret of its key (Signature Version 4, as a header or as a presigned query).
 * The signature covers a session token like any `x-amz-` header, but its value is not checked: no one
 * issues temporary credentials.
 *
 *
 * @throws {S3Error} S3's code for the fault; `AccessDenied` for an anonymous request.
 */
export const authenticate = (
  request: S3Request,
  secretOf: (accessKeyId: string) => string | undefined,
  region: string,
): AuthenticatedRequest => {
  const claims = readClaims(request);
  const { accessKeyId } = claims.scope;
  const secret = secretOf(accessKeyId);
  if (secret === undefined) throw new S3Error("InvalidAccessKeyId");
  checkScope(claims, region);
  checkSignedHeaders(request, claims);
  if (!signatureMatches(request, claims, secret)) {
    throw new S3Error("SignatureDoesNotMatch");
  }
  checkTime(claims, Date.now());
  return { ...request, accessKeyId, payloadHash: claims.payloadHash };
};
