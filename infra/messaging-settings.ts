import * as z from "zod";

/** The settings of the messaging assistant in a stage. */
export const messagingSettings = {
  /** The messaging platform's Graph API, without a version. */
  MESSAGING_API_URL: z.url({ error: "must be an address" }).default("https://graph.facebook.com"),
  /** Version of the Graph API, such as `v26.0`. */
  MESSAGING_API_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/, { error: "must look like v26.0" })
    .default("v26.0"),
  /**
   * The template message for transcripts that are ready more than a day after the person wrote, with its language, such as
   * `transcript_ready:en`. Its header must be a document. Without it such transcripts wait for the person's next message.
   */
  MESSAGING_RESULT_TEMPLATE: z
    .string()
    .regex(/^[a-z0-9_]{1,512}:[a-z]{2,3}(?:_[A-Z]{2})?$/, {
      error: "must be a template's name and language, such as transcript_ready:en",
    })
    .optional(),
  /** How to treat deliveries without a valid signature. */
  MESSAGING_SIGNATURE_MODE: z
    .enum(["enforce", "log", "off"], { error: "must be enforce, log or off" })
    .default("enforce"),
};
