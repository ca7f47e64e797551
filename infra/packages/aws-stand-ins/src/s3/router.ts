import type { AccessRequest } from "../iam/policy.ts";
import { createBucket, listBuckets, listObjects, listParameters } from "./buckets.ts";
import type { BucketCall, ObjectCall, Operation, ServiceCall } from "./call.ts";
import { copyObject, copySource } from "./copy-object.ts";
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listParts,
  uploadPart,
} from "./multipart-upload.ts";
import { responseOverrides } from "./object-headers.ts";
import { deleteObject, getObject, headObject, putObject } from "./objects.ts";
import { concealMissing, ofBucket, ofObject, ofService, requireAccess } from "./required-access.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import type { S3Response } from "./s3-response.ts";

interface Route<Call extends ServiceCall> {
  readonly method: string;
  /** Query parameters, all of which the request must have. */
  readonly required?: readonly string[];
  /** Query parameters the request may have. Any other makes it a request for something else. */
  readonly optional?: readonly string[];
  /** Whether the request copies an object, as its headers say. */
  readonly isCopy?: boolean;
  /** The permission that it needs. */
  readonly needs: (call: Call) => AccessRequest;
  readonly run: Operation<Call>;
}

const serviceRoutes: readonly Route<ServiceCall>[] = [
  { method: "GET", needs: ofService("s3:ListAllMyBuckets"), run: listBuckets },
];

const bucketCreation: readonly Route<BucketCall>[] = [
  { method: "PUT", needs: ofBucket("s3:CreateBucket"), run: createBucket },
];

const bucketRoutes: readonly Route<BucketCall>[] = [
  {
    method: "GET",
    required: ["list-type"],
    optional: listParameters,
    needs: ofBucket("s3:ListBucket"),
    run: listObjects,
  },
];

const reads = ofObject("s3:GetObject");
const writes = ofObject("s3:PutObject");
const deletes = ofObject("s3:DeleteObject");
const listsParts = ofObject("s3:ListMultipartUploadParts");
const aborts = ofObject("s3:AbortMultipartUpload");

const objectRoutes: readonly Route<ObjectCall>[] = [
  { method: "GET", optional: responseOverrides, needs: reads, run: getObject },
  { method: "HEAD", optional: responseOverrides, needs: reads, run: headObject },
  { method: "PUT", needs: writes, run: putObject },
  { method: "PUT", isCopy: true, needs: writes, run: copyObject },
  { method: "DELETE", needs: deletes, run: deleteObject },
  { method: "POST", required: ["uploads"], needs: writes, run: createMultipartUpload },
  { method: "PUT", required: ["uploadId", "partNumber"], needs: writes, run: uploadPart },
  { method: "GET", required: ["uploadId"], needs: listsParts, run: listParts },
  { method: "POST", required: ["uploadId"], needs: writes, run: completeMultipartUpload },
  { method: "DELETE", required: ["uploadId"], needs: aborts, run: abortMultipartUpload },
];

// The supported headers with a meaning for S3. The rest are refused: an object must not seem encrypted, locked or
// private in a way it is not.
const understoodHeaders =
  /^x-amz-(?:checksum-(?:algorithm|crc32|crc64nvme|mode|type)|content-sha256|copy-source(?:-if-match)?|date|decoded-content-length|meta-.+|sdk-checksum-algorithm|security-token|trailer|user-agent)$/;

// In the query of a presigned URL: the signature itself, the SDK's note of the operation, and the checksum the SDK
// takes of the body it does not have yet, which S3 does not look at either.
const parametersWithoutEffect =
  /^(?:x-id|X-Amz-(?:Algorithm|Content-Sha256|Credential|Date|Expires|Security-Token|Signature|SignedHeaders)|x-amz-(?:checksum-.+|sdk-checksum-algorithm|user-agent))$/;

const refuseUnknownHeaders = (request: S3Request): void => {
  const unknown = [...request.headers.keys()].find(
    (name) => name.startsWith("x-amz-") && !understoodHeaders.test(name),
  );
  if (unknown !== undefined) {
    throw new S3Error("NotImplemented", { message: `The header ${unknown} is not implemented.` });
  }
};

// Reports and SDKs disagree on which headers S3 takes from the query of a presigned URL, where the SDK moves them.
// Refusing makes the caller sign them as headers, which works everywhere.
const refuseHoistedHeaders = (parameters: readonly string[]): void => {
  const hoisted = parameters.find((name) => name.startsWith("x-amz-"));
  if (hoisted !== undefined) {
    throw new S3Error("NotImplemented", {
      message: `${hoisted} must be signed and sent as a header; name it in unhoistableHeaders when presigning.`,
    });
  }
};

/** The operation of a request: its method and its query decide. */
const findRoute = <Call extends ServiceCall>(
  routes: readonly Route<Call>[],
  request: S3Request,
): Route<Call> => {
  refuseUnknownHeaders(request);
  const parameters = [...request.query.keys()].filter((name) => !parametersWithoutEffect.test(name));
  refuseHoistedHeaders(parameters);
  const route = routes.find(
    ({ method, required = [], optional = [], isCopy = false }) =>
      method === request.method &&
      isCopy === (copySource(request) !== undefined) &&
      required.every((name) => parameters.includes(name)) &&
      parameters.every((name) => required.includes(name) || optional.includes(name)),
  );
  if (route === undefined) throw new S3Error("NotImplemented");
  return route;
};

const maxKeyLength = 1024;

/** Runs a route for a caller who may. */
const runRoute = <Call extends ServiceCall>({ needs, run }: Route<Call>, call: Call) => {
  requireAccess(call, needs(call));
  return run(call);
};

/**
 * Runs the operation of an authenticated request.
 *
 *
 * @throws {S3Error} `NotImplemented` for everything that README.md does not name.
 */
export const routeRequest = async (call: ServiceCall): Promise<S3Response> => {
  const { request, storage } = call;
  const { bucketName, key } = request;
  if (bucketName === undefined) return runRoute(findRoute(serviceRoutes, request), call);
  const exists = storage.buckets.find(bucketName) !== undefined;
  if (key === undefined) {
    const routes = [...bucketRoutes, ...bucketCreation];
    const route = findRoute(routes, request);
    if (!exists && !bucketCreation.includes(route)) throw new S3Error("NoSuchBucket");
    return runRoute(route, { ...call, bucketName });
  }
  const route = findRoute(objectRoutes, request);
  if (!exists) throw new S3Error("NoSuchBucket");
  if (Buffer.byteLength(key) > maxKeyLength) throw new S3Error("KeyTooLongError");
  const objectCall = { ...call, bucketName, key };
  return concealMissing(objectCall, () => runRoute(route, objectCall));
};
