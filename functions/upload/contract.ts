import * as z from "zod";
import {
  anonymousLimitEnvironment,
  bucketEnvironment,
  tableEnvironment,
  tokenEnvironment,
} from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import { text } from "../../shared/http/fields.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { largestUploadBytes } from "../../shared/storage/object-store.ts";

/** `type/subtype` with optional parameters (RFC 9110, section 8.3.1). */
const mediaType =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+:/-]+|"[ !#-[\]-~]*"))*$/;

export const uploadRequest = z
  .object({
    file_name: text().min(1).max(255).meta({ example: "interview.mp3" }),
    content_type: text()
      .trim()
      .min(1)
      .max(100)
      .refine((value) => mediaType.test(value), {
        error: "Value error, a content type looks like audio/mpeg",
        params: { type: "value_error" },
      })
      .meta({
        example: "audio/mpeg",
        description: "The upload must carry exactly this `Content-Type`",
      }),
    size: z
      .int()
      .min(1)
      .max(largestUploadBytes)
      .optional()
      .meta({
        example: 1_048_576,
        description:
          "The file's length in bytes, at most 100 MB. The link then takes this length and no other. Without it a file of " +
          "more than 100 MB is refused, and removed, when it is used",
      }),
  })
  .meta({ id: "UploadRequest" });
export type UploadRequest = z.infer<typeof uploadRequest>;

export const uploadResponse = z
  .object({
    upload_url: z.url().meta({
      example: "https://audio.example.com/uploads/3f0a2c1e/interview.mp3?X-Amz-Signature=…",
      description:
        "Takes a `PUT` with the file as its body, and exactly the type and the size that were asked for",
    }),
    file_id: z.uuidv4(),
    expires_at: z.iso.datetime().meta({ example: "2026-11-22T10:00:00.000Z" }),
  })
  .meta({ id: "UploadUrl" });
export type UploadResponse = z.infer<typeof uploadResponse>;

export const uploadOperation = defineOperation({
  id: "generateUploadUrl",
  method: "POST",
  path: "/tasks/generate-upload-url",
  summary: "Get a link through which a file can be uploaded",
  description:
    "The link works for 30 minutes, the file is kept for a day. No token is needed. A link asked for with a token can only be " +
    "used by that account; without one, by whoever knows the `file_id`.",
  tag: "Uploads",
  auth: "public",
  scope: "upload",
  body: { encoding: "json", schema: uploadRequest },
  response: { status: 200, description: "The link", schema: uploadResponse },
  errors: ["bad_request", "storage_unavailable"],
});

export const uploadFunction = defineFunction({
  name: "upload",
  description: "Links for uploads",
  operations: [uploadOperation],
  environment: {
    ...tableEnvironment,
    ...tokenEnvironment,
    ...bucketEnvironment,
    ...anonymousLimitEnvironment,
  },
  memoryMegabytes: 512,
  timeoutSeconds: 15,
  transfer: "buffered",
});
