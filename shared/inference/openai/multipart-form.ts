import { randomUUID } from "node:crypto";
import type { AudioSource } from "../../audio/audio-source.ts";
import { readAhead } from "./read-ahead.ts";
import type { UploadBody } from "./send-upload.ts";

/** The one file of a form. */
export interface FormFile {
  readonly fieldName: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly source: AudioSource;
}

/**
 * A `multipart/form-data` body (RFC 7578) with its fields first and its file last, so that a server knows what is
 * wanted of the file before it comes. The file is read while it is sent.
 */
export const multipartForm = (
  fields: readonly (readonly [name: string, value: string])[],
  { fieldName, fileName, mediaType, source }: FormFile,
): UploadBody => {
  const boundary = `form-${randomUUID()}`;
  const part = (disposition: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${content}`;
  const beginning = Buffer.from(
    fields.map(([name, value]) => part(`name="${name}"`, `\r\n${value}\r\n`)).join("") +
      part(`name="${fieldName}"; filename="${fileName}"`, `Content-Type: ${mediaType}\r\n\r\n`),
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    size: beginning.length + source.size + end.length,
    async *pieces() {
      yield beginning;
      yield* readAhead(source);
      yield end;
    },
  };
};
