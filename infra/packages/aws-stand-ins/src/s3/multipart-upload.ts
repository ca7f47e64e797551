import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import type { ObjectCall } from "./call.ts";
import { checksumHeaders, checksumNames } from "./checksums.ts";
import { readObjectHeaders } from "./object-headers.ts";
import { readWriteCondition } from "./preconditions.ts";
import { receiveBody, receiveText } from "./received-body.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import { type S3Response, xmlResponse } from "./s3-response.ts";
import type { Storage } from "./storage.ts";
import type { Part, Upload } from "./upload-store.ts";
import { childrenNamed, childText, optionalChildText, readXml, type XmlElement } from "./xml-reader.ts";

const maxParts = 10_000;

/** @throws {S3Error} `NoSuchUpload` when it is unknown, completed, aborted, or another key's. */
const findUpload = ({ request, storage, bucketName, key }: ObjectCall): Upload => {
  const upload = storage.uploads.find(bucketName, key, request.query.get("uploadId") ?? "");
  if (upload === undefined) throw new S3Error("NoSuchUpload");
  return upload;
};

/** @throws {S3Error} `InvalidArgument` when it is not a number from 1 to 10,000. */
const partNumberOf = ({ query }: ObjectCall["request"]): number => {
  const value = query.get("partNumber") ?? "";
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > maxParts) {
    throw new S3Error("InvalidArgument", {
      message: `partNumber must be an integer from 1 to ${maxParts}.`,
    });
  }
  return number;
};

export const createMultipartUpload = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  const id = storage.uploads.create(bucketName, key, readObjectHeaders(request));
  return xmlResponse("InitiateMultipartUploadResult", { Bucket: bucketName, Key: key, UploadId: id });
};

export const uploadPart = async (call: ObjectCall): Promise<S3Response> => {
  const { request, storage } = call;
  const { id: uploadId } = findUpload(call);
  const number = partNumberOf(request);
  const { id: body, result } = await storage.bodies.create((file) => receiveBody(request, file));
  const { size, md5: etag, checksums } = result;
  if (storage.uploads.find(call.bucketName, call.key, uploadId) === undefined) {
    storage.bodies.release(body);
    throw new S3Error("NoSuchUpload");
  }
  storage.uploads.putPart(uploadId, { number, body, size, etag, checksums });
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders(checksums) } };
};

export const abortMultipartUpload = (call: ObjectCall): S3Response => {
  call.storage.uploads.delete(findUpload(call).id);
  return { status: 204 };
};

/** Our clients never send more parts, nor request a further page. */
const maxListedParts = 1_000;

/** @throws {S3Error} `NotImplemented` when there are more parts than one page holds. */
export const listParts = (call: ObjectCall): S3Response => {
  const { id } = findUpload(call);
  const parts = call.storage.uploads.parts(id);
  if (parts.length > maxListedParts) throw new S3Error("NotImplemented");
  return xmlResponse("ListPartsResult", {
    Bucket: call.bucketName,
    Key: call.key,
    UploadId: id,
    MaxParts: maxListedParts,
    IsTruncated: false,
    Part: parts.map(({ number, modifiedAt, etag, size }) => ({
      PartNumber: number,
      LastModified: modifiedAt.toISOString(),
      ETag: `"${etag}"`,
      Size: size,
    })),
  });
};

/** Every part but the last has at least 5 MiB. */
const minPartBytes = 5 * 1024 ** 2;

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
    if (part.size < minPartBytes)
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

/** S3's entity tag of an object with parts: the MD5 of their MD5s, and how many there were. */
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
