import { receiveText } from "../received-body.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import { readTaggingDocument, taggingContent } from "../tags.ts";
import type { ObjectCall } from "./call.ts";
import { findObject } from "./get-object.ts";

export const getObjectTagging = ({ storage, bucketName, key }: ObjectCall): S3Response =>
  xmlResponse("Tagging", taggingContent(findObject(storage, bucketName, key).tags));

/** Replaces all tags of the object; its age, which lifecycle rules count from, stays. */
export const putObjectTagging = async (call: ObjectCall): Promise<S3Response> => {
  const { request, storage, bucketName, key } = call;
  const tags = readTaggingDocument(await receiveText(request));
  findObject(storage, bucketName, key);
  storage.objects.setTags(bucketName, key, tags);
  return { status: 200 };
};
