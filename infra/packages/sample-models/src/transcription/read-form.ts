import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { ApiError } from "../endpoint.ts";

/** Room for uploads of 100 MiB, with what is around them. */
export const maxFileBytes = 110 * 1024 * 1024;

const limits = { files: 1, fields: 32, parts: 33, fieldSize: 64 * 1024, fileSize: maxFileBytes };

/** The fields of a form. One whose name ends with `[]` is a list, of the others the last value counts. */
type FormFields = Readonly<Record<string, string | string[]>>;

type Form<File> = {
  readonly fields: FormFields;
  /** The result of the part called `file`; undefined when there was none. */
  readonly file: File | undefined;
};

/**
 * Reads a `multipart/form-data` request. The file is not stored: it is passed on as it comes.
 *
 * Throws an `ApiError`: 413 when the file is too large, 400 when the form is broken, breaks off or has too many
 * parts. The rest is then read and dropped, so that the client can read the refusal.
 *
 *
 * @param readFile takes the bytes of the file, all of them
 */
export const readForm = async <File>(
  request: IncomingMessage,
  readFile: (bytes: AsyncIterable<Buffer>) => Promise<File>,
): Promise<Form<File>> => {
  const parser = createParser(request);
  const finished = Promise.withResolvers<void>();
  const refuse = (message: string, status = 400) => finished.reject(new ApiError(status, message));
  const fields = new Map<string, string | string[]>();
  let upload: { stream: BusboyFileStream; read: Promise<File> } | undefined;

  // The parser's types do not say that the name is undefined when the part has none.
  parser.on("field", (name: string | undefined, value, _nameTruncated, isTruncated) => {
    if (name === undefined) return refuse("A part of the form has no name.");
    if (isTruncated) return refuse(`The field '${name}' is longer than ${limits.fieldSize} bytes.`);
    fields.set(name, name.endsWith("[]") ? [fields.get(name) ?? [], value].flat() : value);
  });
  parser.on("file", (name, stream) => {
    // A part that is cut off emits an error of its own, which would end the process without a listener.
    stream.on("error", () => refuse("The form breaks off in the middle of the file."));
    stream.on("limit", () => refuse(`The file is larger than ${maxFileBytes} bytes.`, 413));
    if (name !== "file") {
      stream.resume();
      return;
    }
    upload = { stream, read: readFile(stream) };
    upload.read.catch(finished.reject);
  });
  for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
    parser.on(limit, () => refuse("The form has too many parts."));
  }
  parser.on("error", () => refuse("The form is broken, or breaks off before its closing boundary."));
  parser.on("finish", finished.resolve);
  request.on("close", () => {
    if (!request.complete) refuse("The connection was closed before the end of the form.");
  });

  try {
    request.pipe(parser);
    await finished.promise;
    return { fields: Object.fromEntries(fields), file: await upload?.read };
  } catch (error) {
    request.unpipe(parser).resume();
    upload?.stream.destroy();
    throw error;
  }
};

const createParser = (request: IncomingMessage): BusboyInstance => {
  const contentType = request.headers["content-type"] ?? "";
  try {
    if (!/^multipart\/form-data\b/iu.test(contentType)) throw new Error("The form is of another type.");
    return new Busboy({ headers: { ...request.headers, "content-type": contentType }, limits });
  } catch {
    request.resume();
    throw new ApiError(400, "The request must be multipart/form-data, with a boundary.");
  }
};
