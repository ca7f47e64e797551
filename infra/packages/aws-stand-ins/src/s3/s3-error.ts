import type { XmlContent } from "./xml-writer.ts";

/** The codes, statuses and sentences S3 itself uses: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const catalogue = {
  AccessDenied: [403, "Access Denied"],
  AccessForbidden: [403, "CORSResponse: This CORS request is not allowed."],
  AuthorizationHeaderMalformed: [400, "The authorization header that you provided is not valid."],
  AuthorizationQueryParametersError: [400, "The authorization query parameters are not valid."],
  BadDigest: [
    400,
    "The Content-MD5 or checksum value that you specified did not match what the server received.",
  ],
  BucketAlreadyOwnedByYou: [409, "The bucket that you tried to create already exists, and you own it."],
  EntityTooLarge: [400, "Your proposed upload exceeds the maximum allowed object size."],
  EntityTooSmall: [400, "Your proposed upload is smaller than the minimum allowed object size."],
  IncompleteBody: [
    400,
    "You did not provide the number of bytes specified by the Content-Length HTTP header.",
  ],
  InternalError: [500, "An internal error occurred."],
  InvalidAccessKeyId: [403, "The AWS access key ID that you provided does not exist in our records."],
  InvalidArgument: [400, "The specified argument was not valid."],
  InvalidBucketName: [400, "The specified bucket is not valid."],
  InvalidDigest: [400, "The Content-MD5 value that you specified is not valid."],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found, or its entity tag did not match.",
  ],
  InvalidPartOrder: [
    400,
    "The list of parts was not in ascending order. Parts must be ordered by part number.",
  ],
  InvalidRange: [416, "The requested range is not satisfiable."],
  InvalidRequest: [400, "The request is not valid."],
  InvalidURI: [400, "The specified URI couldn't be parsed."],
  KeyTooLongError: [400, "Your key is too long."],
  MalformedTrailerError: [400, "The request contained trailing data that was not well-formed."],
  MalformedXML: [
    400,
    "The XML that you provided was not well formed or did not validate against our schema.",
  ],
  MetadataTooLarge: [400, "Your metadata headers exceed the maximum allowed metadata size."],
  MissingContentLength: [411, "You must provide the Content-Length HTTP header."],
  NoSuchBucket: [404, "The specified bucket does not exist."],
  NoSuchKey: [404, "The specified key does not exist."],
  NoSuchUpload: [404, "The specified multipart upload does not exist."],
  NotImplemented: [501, "A header or query that you provided implies functionality that is not implemented."],
  PreconditionFailed: [412, "At least one of the preconditions that you specified did not hold."],
  RequestTimeTooSkewed: [403, "The difference between the request time and the server's time is too large."],
  SignatureDoesNotMatch: [
    403,
    "The request signature that the server calculated does not match the signature that you provided. Check your AWS secret access key and signing method.",
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type S3ErrorCode = keyof typeof catalogue;

interface S3ErrorOptions {
  readonly message?: string;
  /** Further elements of S3's `<Error>` document, for example `Expires`. */
  readonly details?: Readonly<Record<string, XmlContent>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal in S3's own vocabulary. The code that throws it decides the client's response. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, XmlContent>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, options: S3ErrorOptions = {}) {
    const [status, message] = catalogue[code];
    super(options.message ?? message);
    this.name = "S3Error";
    this.code = code;
    this.status = status;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}
