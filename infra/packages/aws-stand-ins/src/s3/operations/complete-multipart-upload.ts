import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";

import { checksumNames } from "../checksums.ts";
import { readWriteCondition } from "../preconditions.ts";
import { receiveText } from "../received-body.ts";
import { S3Error } from "../s3-error.ts";
import type { S3Request } from "../s3-request.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import type { Storage } from "../storage.ts";
import type { Part } from "../upload-store.ts";
import { childrenNamed, childText, optionalChildText, readXml, type XmlElement } from "../xml-reader.ts";
import type { ObjectCall } from "./call.ts";
import { findUpload } from "./multipart-upload.ts";

/** Every part but the last has at least 5 MiB. */
const smallestPart = 5 * 1024 ** 2;

// On this one operation the checksum headers mean the object to be, not the body of the request.
const refuseObjectChecksum = (request: S3Request): void => {
  const header = [...request.headers.keys()].find((name) => name.startsWith("x-amz-checksum-"));
  if (header !== undefined) {
    throw new S3Error("NotImplemented", {
      message: `${header} of a whole multipart upload is not implemented.`,
    });
  }
};

const matchPart = (named: XmlElement, stored: ReadonlyMap<string, Part>): Part => {
  const part = stored.get(childText(named, "PartNumber"));
  if (part === undefined || childText(named, "ETag").replaceAll('"', "") !== part.etag) {
    throw new S3Error("InvalidPart");
  }
  for (const name of checksumNames) {
    const claimed = optionalChildText(named, `Checksum${name.toUpperCase()}`);
    if (claimed !== undefined && claimed !== part.checksums[name]) throw new S3Error("InvalidPart");
  }
  return part;
};

/** The stored parts the document names, in its order, which must be ascending. */
const selectParts = (document: string, stored: readonly Part[]): readonly Part[] => {
  const byNumber = new Map(stored.map((part) => [String(part.number), part]));
  const named = childrenNamed(readXml(document, "CompleteMultipartUpload"), "Part");
  if (named.length === 0) throw new S3Error("MalformedXML");
  const parts = named.map((element) => matchPart(element, byNumber));
  parts.forEach((part, index) => {
    const next = parts[index + 1];
    if (next === undefined) return;
    if (next.number <= part.number) throw new S3Error("InvalidPartOrder");
    if (part.size < smallestPart)
      throw new S3Error("EntityTooSmall", { details: { PartNumber: part.number } });
  });
  return parts;
};

const joinParts = (storage: Storage, parts: readonly Part[]): Promise<{ id: string }> =>
  storage.bodies.create(async (file) => {
    await pipeline(async function* () {
      for (const part of parts) {
        const body = storage.bodies.open(part.body);
        if (part.size === 0) body.close();
        else yield* body.stream(0, part.size - 1);
      }
    }, file);
  });

/** S3's entity tag of an object made of parts: the MD5 of their MD5s, and how many there were. */
const multipartEtag = (parts: readonly Part[]): string => {
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, "hex")));
  return `${createHash("md5").update(digests).digest("hex")}-${parts.length}`;
};

/** Joins the named parts into the object; until then nothing of the upload can be seen under its key. */
export const completeMultipartUpload = async (call: ObjectCall): Promise<S3Response> => {
  const { request, storage, bucketName, key } = call;
  refuseObjectChecksum(request);
  const condition = readWriteCondition(request);
  const document = await receiveText(request);
  const upload = findUpload(call);
  const parts = selectParts(document, storage.uploads.parts(upload.id));
  const { id: body } = await joinParts(storage, parts).catch((error: unknown) => {
    // An abort that overtakes the joining takes the parts away.
    findUpload(call);
    throw error;
  });
  if (storage.uploads.find(bucketName, key, upload.id) === undefined) {
    storage.bodies.release(body);
    throw new S3Error("NoSuchUpload");
  }
  const etag = multipartEtag(parts);
  const size = parts.reduce((total, part) => total + part.size, 0);
  const { headers } = upload;
  storage.objects.put({ bucket: bucketName, key, body, size, etag, headers, checksums: {} }, condition);
  storage.uploads.delete(upload.id);
  return xmlResponse("CompleteMultipartUploadResult", {
    Location: `/${bucketName}/${key}`,
    Bucket: bucketName,
    Key: key,
    ETag: `"${etag}"`,
  });
};
