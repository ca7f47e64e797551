import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError, ValidationError } from "../errors/app-error.ts";
import { maximumBodyBytes, type Operation } from "./operation.ts";
import type { HttpEvent } from "./request.ts";

type Body = NonNullable<Operation["body"]>;

/** That a body is larger than its operation takes. Forms with files are told how to send larger ones. */
const tooLarge = (body: Body): AppError => {
  if (body.encoding === "multipart") return new AppError("payload_too_large");
  const kilobytes = Math.floor(maximumBodyBytes(body) / 1_024);
  return new AppError("payload_too_large", {
    message: `The request's body is too large: at most ${kilobytes} kB are taken here.`,
  });
};

/** How many bytes a body has, without decoding it. */
const sizeOf = (body: string, isBase64Encoded: boolean): number =>
  isBase64Encoded ? Buffer.byteLength(body, "base64") : Buffer.byteLength(body);

const badCoding = (msg: string) =>
  new ValidationError([{ loc: ["header", "content-encoding"], msg, type: "value_error" }]);

const inflate = promisify(gunzip);

/** What gzip packed, given up as soon as it is larger than the operation takes. */
const unpack = async (packed: Buffer, declared: Body): Promise<Buffer> => {
  try {
    return await inflate(packed, { maxOutputLength: maximumBodyBytes(declared) });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(declared);
    throw badCoding("Value error, the body cannot be unpacked with gzip");
  }
};

/** The two bytes that gzip begins with. */
const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * The bytes of a request's body, unpacked when gzip packed them. API Gateway unpacks by itself and may leave the header as
 * it was; function URLs hand on what was sent. Raw bodies stay as they came, because their bytes are what is signed.
 *
 * @throws AppError `payload_too_large` beyond what the operation takes, before anything is decoded; ValidationError when
 * the body is packed in a way that is not understood.
 */
export const readBody = async (
  { body, isBase64Encoded, headers, entryPoint }: HttpEvent,
  declared: Body,
): Promise<Buffer> => {
  if (!body) return Buffer.alloc(0);
  if (sizeOf(body, isBase64Encoded) > maximumBodyBytes(declared)) throw tooLarge(declared);
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  const coding = headers["content-encoding"]?.trim().toLowerCase() || "identity";
  if (coding === "identity" || declared.encoding === "raw") return bytes;
  if (coding === "gzip" || coding === "x-gzip") return isPacked(bytes) ? unpack(bytes, declared) : bytes;
  if (entryPoint === "rest-api") return bytes;
  throw badCoding("Value error, the body may be packed with gzip and nothing else");
};
