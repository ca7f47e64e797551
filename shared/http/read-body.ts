import { AppError } from "../errors/app-error.ts";
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

/**
 * The bytes of a request's body.
 *
 * @throws AppError `payload_too_large` beyond what the operation takes, before anything is decoded.
 */
export const readBody = ({ body, isBase64Encoded }: HttpEvent, declared: Body): Buffer => {
  if (!body) return Buffer.alloc(0);
  if (sizeOf(body, isBase64Encoded) > maximumBodyBytes(declared)) throw tooLarge(declared);
  return Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
};
