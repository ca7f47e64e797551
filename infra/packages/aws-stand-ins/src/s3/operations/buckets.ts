import { receiveText } from "../received-body.ts";
import { S3Error } from "../s3-error.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import { optionalChildText, readXml } from "../xml-reader.ts";
import type { BucketCall, ServiceCall } from "./call.ts";

/** Whether S3 would let a bucket be named so: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export const isBucketName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
  !name.includes("..") &&
  !/^\d+\.\d+\.\d+\.\d+$/.test(name);

export const listBuckets = ({ storage }: ServiceCall): S3Response =>
  xmlResponse("ListAllMyBucketsResult", {
    Buckets: {
      Bucket: storage.buckets
        .list()
        .map(({ name, createdAt }) => ({ Name: name, CreationDate: createdAt.toISOString() })),
    },
  });

/** A bucket can only be made in the region the server stands for. */
export const createBucket = async ({
  request,
  storage,
  region,
  bucketName,
}: BucketCall): Promise<S3Response> => {
  if (!isBucketName(bucketName)) throw new S3Error("InvalidBucketName");
  const document = await receiveText(request);
  if (document !== "") {
    const location = optionalChildText(readXml(document, "CreateBucketConfiguration"), "LocationConstraint");
    if (location !== undefined && location !== region) {
      throw new S3Error("InvalidArgument", {
        message: `Buckets are made in '${region}', not in '${location}'.`,
      });
    }
  }
  if (!storage.buckets.create(bucketName)) throw new S3Error("BucketAlreadyOwnedByYou");
  return { status: 200, headers: { location: `/${bucketName}` } };
};
