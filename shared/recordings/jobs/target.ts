import * as z from "zod";

/** How many targets a recording may have. */
export const maxTargets = 5;

/** What the translation of a recording can be fetched as. */
export const targetFormats = ["srt", "vtt", "text", "json", "audio"] as const;

/** A translation of a recording, in a language of the catalogue. */
export const transcriptTarget = z.object({ language: z.string(), format: z.enum(targetFormats) });
export type TranscriptTarget = z.infer<typeof transcriptTarget>;

/** Work on the targets of a recording, with pieces that follow those before it. */
export const jobStage = z.object({
  kind: z.enum(["translate", "speak"]),
  /** The index of its first piece. */
  from: z.int(),
  languages: z.array(z.string()),
});
export type JobStage = z.infer<typeof jobStage>;
