import type { StoredObject, WriteCondition } from "./object-store.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";

/** Whether a list of entity tags names the version of an object that is stored. */
export const namesEntity = (header: string, object: StoredObject): boolean =>
  header
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, "").replaceAll('"', ""))
    .some((tag) => tag === "*" || tag === object.etag);

/** HTTP dates have no fraction of a second, so an object counts as modified in its whole second. */
const modifiedAfter = (object: StoredObject, date: string): boolean =>
  Math.floor(object.modifiedAt.getTime() / 1000) * 1000 > Date.parse(date);

/**
 * Evaluates the conditional headers of GET and HEAD in the order of RFC 9110, section 13.2.2.
 *
 *
 * @returns true when the client has this object already and should get 304.
 * @throws {S3Error} `PreconditionFailed`.
 */
export const isNotModified = (request: S3Request, object: StoredObject): boolean => {
  const match = request.headers.get("if-match");
  const unmodifiedSince = request.headers.get("if-unmodified-since");
  if (match !== undefined) {
    if (!namesEntity(match, object)) throw new S3Error("PreconditionFailed");
  } else if (unmodifiedSince !== undefined && modifiedAfter(object, unmodifiedSince)) {
    throw new S3Error("PreconditionFailed");
  }
  const noneMatch = request.headers.get("if-none-match");
  if (noneMatch !== undefined) return namesEntity(noneMatch, object);
  const modifiedSince = request.headers.get("if-modified-since");
  return (
    modifiedSince !== undefined && Date.parse(modifiedSince) > 0 && !modifiedAfter(object, modifiedSince)
  );
};

/** Whether a Range applies: not when `If-Range` names another version than the stored one. */
export const rangeApplies = (request: S3Request, object: StoredObject): boolean => {
  const condition = request.headers.get("if-range");
  if (condition === undefined) return true;
  return condition.startsWith('"')
    ? namesEntity(condition, object)
    : Date.parse(condition) === Date.parse(object.modifiedAt.toUTCString());
};

/**
 * The condition of a conditional write: `If-None-Match: *` (only if there is no object yet) or `If-Match` (only
 * over that version). Without either header it lets everything pass.
 */
export const readWriteCondition = (request: S3Request): WriteCondition => {
  const match = request.headers.get("if-match");
  const noneMatch = request.headers.get("if-none-match");
  if (noneMatch !== undefined && noneMatch !== "*") {
    throw new S3Error("NotImplemented", { message: "If-None-Match of a write must be *." });
  }
  return (current) => {
    if (noneMatch !== undefined && current !== undefined) throw new S3Error("PreconditionFailed");
    if (match === undefined) return;
    if (current === undefined) throw new S3Error("NoSuchKey");
    if (!namesEntity(match, current)) throw new S3Error("PreconditionFailed");
  };
};
