import { readWriteCondition } from "../preconditions.ts";
import { receiveText } from "../received-body.ts";
import { S3Error } from "../s3-error.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import { childrenNamed, childText, optionalChildText, readXml, type XmlElement } from "../xml-reader.ts";
import type { BucketCall, ObjectCall } from "./call.ts";

const mostKeys = 1000;

/** Deleting what is not there succeeds, as on S3. */
export const deleteObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  readWriteCondition(request)(storage.objects.find(bucketName, key));
  storage.objects.delete(bucketName, key);
  return { status: 204 };
};

const readKey = (object: XmlElement): string => {
  // A version or an entity tag is a condition; deleting without looking at it would delete too much.
  const unknown = object.children.find(({ name }) => name !== "Key");
  if (unknown !== undefined) {
    throw new S3Error("NotImplemented", { message: `The element ${unknown.name} is not implemented.` });
  }
  return childText(object, "Key");
};

export const deleteObjects = async ({ request, storage, bucketName }: BucketCall): Promise<S3Response> => {
  const document = readXml(await receiveText(request), "Delete");
  const keys = childrenNamed(document, "Object").map(readKey);
  if (keys.length === 0 || keys.length > mostKeys) throw new S3Error("MalformedXML");
  for (const key of keys) storage.objects.delete(bucketName, key);
  const quiet = optionalChildText(document, "Quiet") === "true";
  return xmlResponse("DeleteResult", { Deleted: quiet ? [] : keys.map((key) => ({ Key: key })) });
};
