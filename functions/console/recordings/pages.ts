import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { resultFormats } from "../../../shared/recordings/jobs/job-result.ts";
import { pageToken } from "../playground/page-token.ts";

export const recordingsPage = definePage({
  id: "recordings",
  path: "/console/recordings",
  audience: "signed-in",
  title: ({ navigation }) => navigation.recordings,
  query: z.object({
    done: z.literal("deleted").optional().catch(undefined),
    /** A job ID: lists older jobs only. */
    before: z.string().max(100).optional().catch(undefined),
  }),
  scripts: ["upload", "recording"],
  styles: ["recordings"],
  reaches: ["storage"],
});

/** The address for the scripts' token. GET redirects to the list. */
export const recordingsTokenPage = definePage({
  id: "recordingsToken",
  path: "/console/recordings/token",
  audience: "signed-in",
  title: ({ navigation }) => navigation.recordings,
  form: z.object({}),
  data: pageToken,
  confidential: true,
});

/** How much of a recording one page shows: three hours would be too much for a phone. */
export const partSeconds = 30 * 60;

/** In characters, of a speaker's name. */
export const maxNameLength = 60;

export const recordingPage = definePage({
  id: "recording",
  path: "/console/recordings/{id}",
  audience: "signed-in",
  title: ({ recordings }) => recordings.one,
  query: z.object({
    /** The shown part of the transcript, from 1. */
    part: z.coerce.number().pipe(z.int().min(1).max(10_000)).default(1).catch(1),
    /** The translation next to the transcript; by default the first that is ready. */
    language: z.string().max(10).optional().catch(undefined),
  }),
  form: z.discriminatedUnion("action", [
    z.object({ action: z.literal("delete") }),
    z.object({
      action: z.literal("translate"),
      language: z.string().min(1).max(100),
      speech: z.literal("yes").optional(),
    }),
    z.object({
      action: z.literal("name-speaker"),
      label: z.string().regex(/^[A-Z]{1,3}$/),
      /** Without one, the label is shown. */
      name: z.string().trim().max(maxNameLength).default(""),
    }),
  ]),
  scripts: ["recording"],
  styles: ["recordings"],
  reaches: ["storage"],
});

export const transcriptPage = definePage({
  id: "transcript",
  path: "/console/recordings/{id}/transcript",
  audience: "signed-in",
  title: ({ recordings }) => recordings.one,
  query: z.object({
    format: z
      .enum([...resultFormats, "audio"])
      .default("text")
      .catch("text"),
    language: z.string().max(100).optional().catch(undefined),
  }),
});
