import { S3Error } from "./s3-error.ts";
import type { AuthenticatedRequest, S3Request } from "./s3-request.ts";
import { type Credentials, signatureMatches } from "./signature.ts";
import { type RequestClaims, readClaims } from "./signature-claims.ts";

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
 * Proves that the request was signed with the secret (Signature Version 4, as a header or as a presigned query).
 * A session token is covered by the signature like any `x-amz-` header, but its value is not looked at: there is
 * one set of credentials and nobody who issues temporary ones.
 *
 * @throws {S3Error} the code S3 uses for what is wrong; `AccessDenied` for an anonymous request.
 */
export const authenticate = (
  request: S3Request,
  credentials: Credentials,
  region: string,
): AuthenticatedRequest => {
  const claims = readClaims(request);
  if (claims.scope.accessKeyId !== credentials.accessKeyId) throw new S3Error("InvalidAccessKeyId");
  checkScope(claims, region);
  checkSignedHeaders(request, claims);
  if (!signatureMatches(request, claims, credentials.secretAccessKey)) {
    throw new S3Error("SignatureDoesNotMatch");
  }
  checkTime(claims, Date.now());
  return { ...request, payloadHash: claims.payloadHash };
};
