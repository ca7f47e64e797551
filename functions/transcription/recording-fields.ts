import type * as z from "zod";
import { formFile } from "../../shared/platform/validation/fields.ts";

/** What operations with a recording have in common. */

/** The errors of all of them. */
export const recordingErrors = [
  "unreadable_audio",
  "not_found",
  "external_service_error",
  "storage_unavailable",
  "service_unavailable",
] as const;

/** A recording sent with the request. */
export const recordingFile = formFile().meta({
  override: { type: "string", format: "binary" },
  example: "recording.wav",
  description:
    "The recording, a file of at most 4.4 MB: WAV, MP3, M4A, MP4, AAC, Ogg, WebM, FLAC, AMR, AIFF, AU, CAF or W64, recognised by its bytes. " +
    "Required unless `file_id` is sent",
});

/** Reports a rule about several fields together with those about single fields, not only after these hold. */
const atOnce = {
  when: ({ value }: z.core.ParsePayload): boolean => typeof value === "object" && value !== null,
};

/** Requires exactly one of a recording in the request and an upload. @param field of the recording. */
export const oneRecording = <Schema extends z.ZodType<Readonly<Record<string, unknown>>>>(
  schema: Schema,
  field: "audio" | "file",
) =>
  schema
    .refine((form) => form[field] !== undefined || form["file_id"] !== undefined, {
      path: [field],
      error: "Field required",
      params: { type: "missing" },
      ...atOnce,
    })
    .refine((form) => form[field] === undefined || form["file_id"] === undefined, {
      path: ["file_id"],
      error: `Value error, send either ${field} or file_id, not both`,
      params: { type: "value_error" },
      ...atOnce,
    });
