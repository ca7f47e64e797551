import * as z from "zod";

import { S3Error } from "./s3-error.ts";
import { childrenNamed, childText, readXml } from "./xml-reader.ts";
import type { XmlContent } from "./xml-writer.ts";

export const tagSchema = z.object({ key: z.string(), value: z.string() });
export type Tag = z.infer<typeof tagSchema>;

// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
const mostTags = 10;
const longestKey = 128;
const longestValue = 256;

const checkTags = (tags: readonly Tag[]): readonly Tag[] => {
  if (tags.length > mostTags)
    throw new S3Error("InvalidTag", { message: "Object tags cannot be greater than 10." });
  for (const { key, value } of tags) {
    if (key === "" || key.length > longestKey || value.length > longestValue) throw new S3Error("InvalidTag");
  }
  if (new Set(tags.map(({ key }) => key)).size < tags.length) {
    throw new S3Error("InvalidTag", { message: "Cannot provide multiple tags with the same key." });
  }
  return tags;
};

/** Reads `x-amz-tagging`, which is written like a query: `state=unused&owner=1`. */
export const readTaggingHeader = (header: string | undefined): readonly Tag[] =>
  checkTags([...new URLSearchParams(header ?? "")].map(([key, value]) => ({ key, value })));

export const readTaggingDocument = (document: string): readonly Tag[] =>
  checkTags(
    childrenNamed(readXml(document, "Tagging"), "TagSet")
      .flatMap((set) => childrenNamed(set, "Tag"))
      .map((tag) => ({ key: childText(tag, "Key"), value: childText(tag, "Value") })),
  );

/** The content of a `Tagging` element. */
export const taggingContent = (tags: readonly Tag[]): XmlContent => ({
  TagSet: tags.length === 0 ? null : { Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })) },
});
