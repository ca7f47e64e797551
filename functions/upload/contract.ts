import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import {
  bucketEnvironment,
  limitsEnvironment,
  tableEnvironment,
  tokenEnvironment,
} from "../../shared/platform/config/environment.ts";
import { maxUploadBytes, partBytes } from "../../shared/platform/storage/object-store.ts";
import { text } from "../../shared/platform/validation/fields.ts";

/** `type/subtype` with optional parameters (RFC 9110, section 8.3.1). */
const mediaType =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+:/-]+|"[ !#-[\]-~]*"))*$/;

const fileFields = {
  file_name: text()
    .min(1)
    .max(255)
    .meta({ example: "interview.mp3", description: "The name under which the file is stored, made safe" }),
  content_type: text()
    .trim()
    .min(1)
    .max(100)
    .refine((value) => mediaType.test(value), {
      error: "Value error, this is not a content type such as audio/mpeg",
      params: { type: "value_error" },
    })
    .meta({
      example: "audio/mpeg",
      description: "The upload must have exactly this `Content-Type`",
    }),
};
const size = z.int().min(1).max(maxUploadBytes);

export const uploadRequest = z
  .object({
    ...fileFields,
    size: size.optional().meta({
      example: 1_048_576,
      description:
        "The file's length in bytes, at most 500 MB. The link then accepts only this length. Without it, a file of more than " +
        "100 MB is refused and removed when it is used",
    }),
  })
  .meta({ id: "UploadRequest" });
export type UploadRequest = z.infer<typeof uploadRequest>;

export const uploadResponse = z
  .object({
    upload_url: z.url().meta({
      example: "https://audio.example.com/uploads/3f0a2c1e/interview.mp3?X-Amz-Signature=0a1b2c3d",
      description:
        "Accepts a `PUT` with the file as its body, and with exactly the requested content type and size",
    }),
    file_id: z.uuidv4().describe("Names the file in other requests, such as `POST /tasks/jobs`"),
    expires_at: z.iso
      .datetime()
      .meta({ example: "2026-11-22T10:00:00.000Z", description: "When the link stops working" }),
  })
  .meta({ id: "UploadUrl" });
export type UploadResponse = z.infer<typeof uploadResponse>;

export const uploadOperation = defineOperation({
  id: "generateUploadUrl",
  method: "POST",
  path: "/tasks/generate-upload-url",
  summary: "Create an upload link",
  description:
    "The link is valid for 30 minutes, and the file is stored for a day. A token is optional: with one, only that account can use the " +
    "file; without one, anyone who knows the `file_id`. A token that is not valid is refused.",
  tag: "Uploads",
  auth: "public",
  scope: "upload",
  body: { encoding: "json", schema: uploadRequest },
  response: { status: 200, description: "The link", schema: uploadResponse },
  errors: ["bad_request", "unauthenticated", "storage_unavailable"],
});

const inParts = { tag: "Uploads", auth: "user", scope: "upload", limit: "account" } as const;

const maxParts = Math.ceil(maxUploadBytes / partBytes);

const uploadId = z
  .uuidv4()
  .meta({ example: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69", description: "The upload's id" });
const pathParameters = z.object({
  id: z
    .string()
    .max(100)
    .meta({ example: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69", description: "The id of the upload" }),
});
const partNumber = z
  .int()
  .min(1)
  .max(maxParts)
  .meta({ example: 1, description: "The number of the part, from 1" });
const expiresAt = z.iso.datetime().meta({ example: "2026-11-23T09:30:00.000Z" });

const partedUpload = {
  id: uploadId,
  part_size: z.int().meta({
    example: partBytes,
    description: "The size of each part in bytes; the last one may be smaller",
  }),
  part_count: z.int().meta({ example: 36, description: "Parts are numbered from 1" }),
  expires_at: expiresAt.meta({ description: "When the upload and its file are deleted" }),
};

export const partedUploadRequest = z
  .object({
    ...fileFields,
    content_type: fileFields.content_type.meta({ example: "audio/mpeg", description: "The file's type" }),
    size: size.meta({ example: 187_695_104, description: "The file's length in bytes, at most 500 MB" }),
  })
  .meta({ id: "PartedUploadRequest" });
export type PartedUploadRequest = z.output<typeof partedUploadRequest>;

export const beginUploadOperation = defineOperation({
  ...inParts,
  id: "beginUpload",
  method: "POST",
  path: "/tasks/uploads",
  summary: "Start an upload in parts",
  description:
    "An upload in parts survives a lost connection. Send the file in parts of 5 MB, each through its own link " +
    "(`POST /tasks/uploads/{id}/parts`), in any order; repeat only the parts that fail. `POST /tasks/uploads/{id}/complete` then " +
    "joins them into one file.",
  body: { encoding: "json", schema: partedUploadRequest },
  response: {
    status: 201,
    description: "The new upload",
    schema: z.object(partedUpload).meta({ id: "PartedUpload" }),
  },
  errors: ["bad_request", "storage_unavailable"],
});

export const signPartsOperation = defineOperation({
  ...inParts,
  id: "signUploadParts",
  method: "POST",
  path: "/tasks/uploads/{id}/parts",
  summary: "Create links for parts of an upload",
  description:
    "Each link accepts a `PUT` of exactly `size` bytes for 30 minutes. If the connection breaks, send the part again, through the same " +
    "link or a new one.",
  pathParameters,
  body: {
    encoding: "json",
    schema: z
      .object({
        numbers: z
          .array(partNumber)
          .min(1)
          .max(maxParts)
          .meta({ example: [1, 2], description: "The numbers of the parts" }),
      })
      .meta({ id: "UploadPartsRequest" }),
  },
  response: {
    status: 200,
    description: "The links",
    schema: z
      .object({
        parts: z
          .array(
            z
              .object({
                number: partNumber,
                start: z.int().meta({ example: 0, description: "The part's offset in the file, in bytes" }),
                size: z.int().meta({ example: partBytes, description: "In bytes" }),
                upload_url: z.url().meta({
                  example:
                    "https://audio.example.com/uploads/9d3c5f0e/interview.mp3?partNumber=1&X-Amz-Signature=0a1b2c3d",
                  description: "Accepts a `PUT` of exactly `size` bytes",
                }),
              })
              .meta({ id: "UploadPart" }),
          )
          .describe("The requested parts, each with its link"),
        expires_at: expiresAt.meta({
          example: "2026-11-22T10:00:00.000Z",
          description: "When the links expire",
        }),
      })
      .meta({ id: "UploadPartLinks" }),
  },
  errors: ["bad_request", "not_found", "storage_unavailable"],
});

export const getUploadOperation = defineOperation({
  ...inParts,
  id: "getUpload",
  method: "GET",
  path: "/tasks/uploads/{id}",
  summary: "Get an upload and the parts that have arrived",
  pathParameters,
  response: {
    status: 200,
    description: "The upload and its progress",
    schema: z
      .object({
        ...partedUpload,
        size: z.int().meta({ example: 187_695_104, description: "The length of the whole file in bytes" }),
        status: z
          .enum(["uploading", "completed"])
          .meta({ example: "uploading", description: "`completed` once the parts are joined" }),
        arrived: z.array(partNumber).meta({
          example: [1, 2, 4],
          description: "The numbers of the complete parts, in order",
        }),
        file_id: uploadId.nullable().meta({
          example: null,
          description: "The id of the file for other requests, once the upload is completed",
        }),
      })
      .meta({ id: "UploadProgress" }),
  },
  errors: ["not_found", "storage_unavailable"],
});

export const completeUploadOperation = defineOperation({
  ...inParts,
  id: "completeUpload",
  method: "POST",
  path: "/tasks/uploads/{id}/complete",
  summary: "Complete an upload by joining its parts",
  description: "You can safely repeat this request: the response is the same.",
  pathParameters,
  response: {
    status: 200,
    description: "The file",
    schema: z
      .object({
        file_id: uploadId.meta({
          description: "The id of the file for other requests, such as `POST /tasks/jobs`",
        }),
        size: z.int().meta({ example: 187_695_104, description: "In bytes" }),
        expires_at: expiresAt.meta({ description: "When the file is deleted" }),
      })
      .meta({ id: "UploadedFile" }),
  },
  errors: ["not_found", "upload_incomplete", "storage_unavailable"],
});

export const deleteUploadOperation = defineOperation({
  ...inParts,
  id: "deleteUpload",
  method: "DELETE",
  path: "/tasks/uploads/{id}",
  summary: "Cancel an upload, or delete its file",
  pathParameters,
  response: { status: 204, description: "The upload is deleted", schema: z.null() },
  errors: ["not_found", "storage_unavailable"],
});

export const uploadFunction = defineFunction({
  name: "upload",
  description: "Uploads of whole files and in parts",
  operations: [
    uploadOperation,
    beginUploadOperation,
    signPartsOperation,
    getUploadOperation,
    completeUploadOperation,
    deleteUploadOperation,
  ],
  environment: {
    ...tableEnvironment,
    ...limitsEnvironment,
    ...tokenEnvironment,
    ...bucketEnvironment,
  },
  memoryMegabytes: 512,
  // Completing an upload can join a hundred parts.
  timeoutSeconds: 29,
  transfer: "buffered",
});
