import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";
import {
  optionalField,
  requiredFormFile,
  text,
  unknownMembers,
} from "../../../shared/platform/validation/fields.ts";

export const libreTranslateFileRequest = z
  .strictObject(
    {
      file: requiredFormFile().meta({
        override: { type: "string", format: "binary" },
        example: "leaflet.docx",
        description: "The document, a file of at most 4.4 MB, in any format that jobs translate",
      }),
      source: optionalField(text().max(100)).meta({
        override: { type: "string", default: "auto" },
        example: "en",
        description: "The language of the document, or `auto`",
      }),
      target: text().max(100).meta({ example: "lg", description: "The language to translate into" }),
      api_key: optionalField(z.string().max(4_000)).meta({
        override: { type: "string" },
        example: "TOKEN",
        description: "Your token or key; it may also be in the query, or in the `Authorization` header",
      }),
    },
    unknownMembers,
  )
  .meta({ id: "LibreTranslateFileRequest" });
export type LibreTranslateFileRequest = z.output<typeof libreTranslateFileRequest>;

export const libreTranslateFileOperation = defineOperation({
  id: "libreTranslateFile",
  method: "POST",
  path: "/libretranslate/translate_file",
  summary: "Translate a small document, for clients of LibreTranslate",
  description:
    "For documents that are translated within 25 seconds. Others return 413 and count no characters; translate them through `POST /tasks/jobs`.",
  tag: "DeepL and LibreTranslate clients",
  auth: "user",
  scope: "translate",
  body: { encoding: "multipart", schema: libreTranslateFileRequest },
  response: {
    status: 200,
    description: "A link to the document",
    schema: z
      .object({
        translatedFileUrl: z.string().meta({
          example:
            "https://bucket.s3.af-south-1.amazonaws.com/uploads/9d3c5f0e/leaflet.lug.docx?X-Amz-Signature=5f2b1c",
          description: "The link, which needs no key and is valid for 30 minutes",
        }),
      })
      .meta({ id: "LibreTranslateFile" }),
  },
  errors: [
    "bad_request",
    "unsupported_language",
    "same_language",
    "unsupported_parameter",
    "unreadable_document",
    "payload_too_large",
    "file_too_large",
    "context_length_exceeded",
    "content_policy_violation",
    "external_service_error",
    "service_unavailable",
    "storage_unavailable",
  ],
});
