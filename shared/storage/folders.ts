/** Folders of the audio bucket; permissions and lifecycle rules go by them. */

/** Files that callers upload. They disappear after a day. */
export const uploadsFolder = "uploads/";

/** Speech that was synthesised, by day and account: `speech/2026-11-20/7/<32 hex digits>.wav`. */
export const speechFolder = "speech/";

/** Audio whose transcription is saved, by day and account: `transcriptions/2026-11-20/7/<32 hex digits>.mp3`. */
export const transcriptionsFolder = "transcriptions/";

/** How long saved transcriptions and their audio are kept. */
export const transcriptionsLifetimeDays = 30;
