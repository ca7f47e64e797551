import type { Authority } from "../iam/authority.ts";
import type { AuthenticatedRequest } from "./s3-request.ts";
import type { S3Response } from "./s3-response.ts";
import type { Storage } from "./storage.ts";

/** What every operation is given. */
export interface ServiceCall {
  readonly request: AuthenticatedRequest;
  readonly storage: Storage;
  readonly region: string;
  /** Judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
}

export interface BucketCall extends ServiceCall {
  readonly bucketName: string;
}

export interface ObjectCall extends BucketCall {
  readonly key: string;
}

export type Operation<Call extends ServiceCall> = (call: Call) => S3Response | Promise<S3Response>;
