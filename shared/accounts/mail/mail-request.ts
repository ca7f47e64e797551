import * as z from "zod";

/** A requested mail. It names an account and never a link: links are created when the mail is written. */
export const mailRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verify-email"), userId: z.int() }),
  /** Also sent for addresses without an account, so all requests take the same time. */
  z.object({ kind: z.literal("reset-password"), email: z.string() }),
]);
export type MailRequest = z.infer<typeof mailRequest>;
