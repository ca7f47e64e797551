import type { AccessRequest } from "../iam/policy.ts";
import { denialMessage } from "../iam/require-access.ts";
import type { BucketCall, ObjectCall, ServiceCall } from "./call.ts";
import { S3Error } from "./s3-error.ts";

/** What a call on the service itself needs. */
export const ofService = (action: string) => (): AccessRequest => ({ action, resource: "*" });

/** What a call on a bucket needs. */
export const ofBucket =
  (action: string) =>
  ({ bucketName, request: { query } }: BucketCall): AccessRequest => {
    const prefix = query.get("prefix");
    return {
      action,
      resource: `arn:aws:s3:::${bucketName}`,
      context: prefix === null ? {} : { "s3:prefix": [prefix] },
    };
  };

/** What a call on an object needs. */
export const ofObject =
  (action: string) =>
  ({ bucketName, key }: ObjectCall): AccessRequest => ({
    action,
    resource: `arn:aws:s3:::${bucketName}/${key}`,
  });

/** @throws {S3Error} `AccessDenied` unless the policies of the caller allow the request. */
export const requireAccess = (call: ServiceCall, required: AccessRequest): void => {
  const denial = call.authority?.denialOf(call.request.accessKeyId, [required]);
  if (denial) throw new S3Error("AccessDenied", { message: denialMessage(denial) });
};

/**
 * Runs an operation on an object. Only callers who may list the object's name learn that it is missing; to others it looks
 * forbidden. S3 judges this as a listing with the name as its prefix.
 *
 * @throws {S3Error} `NoSuchKey` or `AccessDenied` for a missing object.
 */
export const concealMissing = async <Result>(
  call: ObjectCall,
  run: () => Result | Promise<Result>,
): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof S3Error && error.code === "NoSuchKey") {
      const { bucketName, key } = call;
      const resource = `arn:aws:s3:::${bucketName}`;
      requireAccess(call, { action: "s3:ListBucket", resource, context: { "s3:prefix": [key] } });
    }
    throw error;
  }
};
