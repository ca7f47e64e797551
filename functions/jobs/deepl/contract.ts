import * as z from "zod";
import { contentTypeOf, documentFormats } from "../../../shared/documents/document-formats.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import {
  optionalField,
  requiredFormFile,
  text,
  unknownMembers,
  unsupported,
} from "../../../shared/platform/validation/fields.ts";

const common = { tag: "DeepL and LibreTranslate clients", auth: "user", scope: "jobs" } as const;

const refused = (sentence: string) =>
  z
    .string()
    .max(0, unsupported(sentence))
    .optional()
    .meta({ override: { type: "string" }, description: sentence });

export const deeplDocumentRequest = z
  .strictObject(
    {
      file: requiredFormFile().meta({
        override: { type: "string", format: "binary" },
        example: "leaflet.docx",
        description: "The document, a file of at most 4.4 MB, in any format that jobs translate",
      }),
      filename: optionalField(text().max(200)).meta({
        override: { type: "string" },
        description: "The name of the document, in place of the file's",
      }),
      source_lang: optionalField(text().max(100)).meta({
        override: { type: "string" },
        example: "EN",
        description: "The language of the document. Without it, the model infers it",
      }),
      target_lang: text().max(100).meta({ example: "LUG", description: "The language to translate into" }),
      formality: optionalField(
        z.enum(
          ["default", "prefer_more", "prefer_less"],
          unsupported(
            "The models have no levels of formality: send `default`, `prefer_more` or `prefer_less`, or leave `formality` out.",
          ),
        ),
      ).meta({
        override: { type: "string", enum: ["default", "prefer_more", "prefer_less"] },
        description: "The models have no levels of formality, so `more` and `less` return 400",
      }),
      glossary_id: refused("Glossaries are not supported."),
      output_format: refused("A translated document has the format of its source."),
    },
    unknownMembers,
  )
  .meta({ id: "DeeplDocumentRequest" });
export type DeeplDocumentRequest = z.output<typeof deeplDocumentRequest>;

const documentId = z.string().meta({
  example: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69",
  description: "The id of the document, which is that of its job",
});

const documentKey = z.string().max(100).meta({
  example: "9D3C5F0E8F0B4F4E9F0E2F1D3C4B5A69",
  description: "The key of the document",
});

export const deeplDocumentOperation = defineOperation({
  ...common,
  id: "deeplDocument",
  method: "POST",
  path: "/deepl/v2/document",
  summary: "Translate a document, for clients of DeepL",
  description:
    "Creates a job like `POST /tasks/jobs`, with its quotas. The document and its translation are deleted with the job, after 30 days.",
  body: { encoding: "multipart", schema: deeplDocumentRequest },
  response: {
    status: 200,
    description: "The id and the key of the document",
    schema: z
      .object({ document_id: documentId, document_key: documentKey })
      .meta({ id: "DeeplDocumentHandle" }),
  },
  errors: [
    "bad_request",
    "unsupported_language",
    "same_language",
    "unsupported_parameter",
    "unreadable_document",
    "payload_too_large",
    "file_too_large",
    "queue_full",
    "storage_unavailable",
  ],
});

const ofDocument = {
  ...common,
  method: "POST",
  limit: "account",
  pathParameters: z.object({ id: documentId.max(100) }),
  body: {
    encoding: "json-or-form",
    schema: z.strictObject({ document_key: documentKey }, unknownMembers).meta({ id: "DeeplDocumentKey" }),
  },
} as const;

export const deeplDocumentStatus = z
  .object({
    document_id: documentId,
    status: z
      .enum(["queued", "translating", "done", "error"])
      .meta({ example: "done", description: "What happens to the document" }),
    billed_characters: z
      .int()
      .optional()
      .meta({ example: 48_000, description: "When it is done: what counts on the month's characters" }),
    error_message: z.string().optional().meta({ description: "Why it could not be translated" }),
  })
  .meta({ id: "DeeplDocumentStatus" });
export type DeeplDocumentStatus = z.input<typeof deeplDocumentStatus>;

export const deeplDocumentStatusOperation = defineOperation({
  ...ofDocument,
  id: "deeplDocumentStatus",
  path: "/deepl/v2/document/{id}",
  summary: "Get the status of a document, for clients of DeepL",
  response: { status: 200, description: "The status", schema: deeplDocumentStatus },
  errors: ["not_found", "unsupported_parameter"],
});

/** The content types of documents, without their parameters. */
const documentTypes = [...new Set(documentFormats.map((format) => contentTypeOf(format).replace(/;.*/, "")))];

export const deeplDocumentResultOperation = defineOperation({
  ...ofDocument,
  id: "deeplDocumentResult",
  path: "/deepl/v2/document/{id}/result",
  summary: "Download a translated document, for clients of DeepL",
  description: "A document that is not ready yet returns 503.",
  response: {
    status: 200,
    description: "The document",
    schema: z.unknown().meta({ override: {}, example: { thanks: "Webale" } }),
    otherContentTypes: documentTypes.filter((type) => type !== "application/json"),
    headers: ["Content-Disposition"],
  },
  example: {
    otherResponses: {
      "text/plain": "Webale\n",
      "application/x-subrip": "1\n00:00:00,480 --> 00:00:02,160\nWasuze otya nno?\n\n",
      "text/vtt": "WEBVTT\n\n00:00:00.480 --> 00:00:02.160\nWasuze otya nno?\n\n",
      "text/markdown": "# Webale\n",
      "text/x-gettext-translation": 'msgid "Thank you"\nmsgstr "Webale"\n',
      "application/xliff+xml": '<xliff version="1.2">…</xliff>',
      "text/csv": "id,text\n1,Webale\n",
      "text/x-ssa": "[Events]\nDialogue: 0,0:00:00.48,0:00:02.16,Default,,0,0,0,,Wasuze otya nno?\n",
      "application/yaml": "lg:\n  thanks: Webale\n",
      "text/x-java-properties": "thanks = Webale\n",
      "text/x-apple-strings": '"thanks" = "Webale";\n',
      "application/xml": '<resources><string name="thanks">Webale</string></resources>\n',
    },
  },
  errors: ["bad_request", "not_found", "job_not_completed", "unsupported_parameter", "storage_unavailable"],
});
