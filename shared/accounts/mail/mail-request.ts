import * as z from "zod";

/** A mail that a function asks for. It names accounts, never links: those are made when the mail is written. */
export const mailRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verify-email"), userId: z.int() }),
  /** Also sent for addresses nobody holds, so that asking takes the same time for all of them. */
  z.object({ kind: z.literal("reset-password"), email: z.string() }),
]);
export type MailRequest = z.infer<typeof mailRequest>;
