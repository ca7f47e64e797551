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
  })
  .meta({ id: "UploadRequest" });
export type UploadRequest = z.infer<typeof uploadRequest>;

export const uploadResponse = z
  .object({
    upload_url: z.url().meta({ description: "Takes one `PUT` with the file as its body" }),
    file_id: z.uuidv4(),
    expires_at: z.iso.datetime(),
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
  body: { encoding: "json", schema: uploadRequest },
  response: { status: 200, description: "The link", schema: uploadResponse },
  errors: ["bad_request", "storage_unavailable"],
});

export const uploadFunction = defineFunction({
  name: "upload",
  description: "Links for uploads",
  operations: [uploadOperation],
  environment: z.object({
    ...tableEnvironment,
    ...tokenEnvironment,
    ...bucketEnvironment,
    ...anonymousLimitEnvironment,
  }),
  memoryMegabytes: 512,
  timeoutSeconds: 15,
  transfer: "buffered",
});
