import { S3Error } from "./s3-error.ts";

/** Offsets of the first and the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Resolves a Range header against the size of an object. S3 serves one range; several of them, or anything that
 * is not a byte range, count as no Range at all.
 *
 * @returns undefined when the whole object is wanted.
 * @throws {S3Error} `InvalidRange` when the range lies beyond the object.
 */
export const resolveRange = (header: string | undefined, size: number): ByteRange | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) {
    throw new S3Error("InvalidRange", {
      details: { RangeRequested: header, ActualObjectSize: size },
      headers: { "content-range": `bytes */${size}` },
    });
  }
  return { start, end };
};
