import * as z from "zod";
import { accountExport } from "../../shared/accounts/export/request-export.ts";
import { givenPassword } from "../../shared/accounts/sign-in/fields.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { ofAccount } from "./operation-defaults.ts";

const contents =
  "The archive contains the account, its keys without secrets, sessions, usage, jobs with their transcripts, speech and uploads. " +
  "Files above 50 MB, and what exceeds a gigabyte, are links. Passwords, secrets, digests and responses that are stored for repeated " +
  "requests are not in it; its README.txt says why, for each.";

export const requestExportOperation = defineOperation({
  ...ofAccount,
  id: "requestExport",
  method: "POST",
  path: "/auth/me/export",
  summary: "Request an export of everything that is stored about the account",
  description: `Requires the token and, as \`password\`, the password of the account, or a code where it has a second factor. ${contents} An export that is being prepared, or is less than ten minutes old, is returned again.`,
  body: { encoding: "json", schema: z.object({ password: givenPassword }).meta({ id: "ExportRequest" }) },
  response: { status: 202, description: "The export", schema: accountExport },
  errors: ["invalid_credentials", "bad_request", "storage_unavailable"],
  example: {
    response: {
      status: "preparing",
      requested_at: "2026-11-22T10:00:00.000Z",
      size: null,
      expires_at: "2026-11-29T10:00:00.000Z",
      url: null,
      url_expires_at: null,
    },
  },
});

export const exportOperation = defineOperation({
  ...ofAccount,
  id: "getExport",
  method: "GET",
  path: "/auth/me/export",
  summary: "Get the last export of the account, with a link to it",
  description: "`POST /auth/me/export` requests one.",
  response: { status: 200, description: "The export", schema: accountExport },
  errors: ["not_found", "storage_unavailable"],
  example: {
    response: {
      status: "ready",
      requested_at: "2026-11-22T10:00:00.000Z",
      size: 1_048_576,
      expires_at: "2026-11-29T10:00:00.000Z",
      url: "https://audio.example.com/exports/1/3f0a2c1e.zip?X-Amz-Signature=0a1b2c3d",
      url_expires_at: "2026-11-22T10:31:00.000Z",
    },
  },
});

export const exportFileOperation = defineOperation({
  ...ofAccount,
  id: "getExportFile",
  method: "GET",
  path: "/auth/me/export/file",
  summary: "Get a link to a stored file of the account",
  description: "The file `links.json` of an export names the files for which the archive had no room.",
  query: z.object({
    name: text().min(1).max(1_024).meta({
      example: "uploads/9d3c1f6e-2b7a-4c58-8e0d-5a1b2c3d4e5f/interview.mp3",
      description: "The `name` in `links.json`",
    }),
  }),
  response: {
    status: 200,
    description: "The link",
    schema: z
      .object({
        url: z.url().meta({
          example: "https://audio.example.com/uploads/9d3c1f6e/interview.mp3?X-Amz-Signature=0a1b2c3d",
          description: "A link to the file, without other credentials",
        }),
        url_expires_at: z.iso.datetime().describe("When the link ends"),
      })
      .meta({ id: "ExportFile" }),
  },
  errors: ["not_found", "storage_unavailable"],
});
