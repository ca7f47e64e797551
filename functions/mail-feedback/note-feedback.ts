import * as z from "zod";
import type { Withheld, WithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";

const recipients = z.array(z.object({ emailAddress: z.string() }));

/** An event of SES in EventBridge's envelope, as far as it matters here. */
const sesEvent = z.object({
  detail: z.object({
    eventType: z.string(),
    bounce: z
      .object({
        bounceType: z.string(),
        bounceSubType: z.string(),
        bouncedRecipients: recipients,
        timestamp: z.string(),
      })
      .optional(),
    complaint: z
      .object({
        complaintFeedbackType: z.string().nullish(),
        complainedRecipients: recipients,
        timestamp: z.string(),
      })
      .optional(),
  }),
});

interface Verdict {
  readonly withheld: Withheld;
  /** SES's word for the kind. */
  readonly kind: string;
  readonly addresses: z.output<typeof recipients>;
}

/** What ends the mails to somebody. A full mailbox may have room tomorrow; and some say that a mail is no spam. */
const judge = ({
  eventType,
  bounce,
  complaint,
}: z.output<typeof sesEvent>["detail"]): Verdict | undefined => {
  if (eventType === "Bounce" && bounce?.bounceType === "Permanent") {
    return {
      withheld: { reason: "bounce", since: bounce.timestamp },
      kind: bounce.bounceSubType,
      addresses: bounce.bouncedRecipients,
    };
  }
  if (eventType === "Complaint" && complaint && complaint.complaintFeedbackType !== "not-spam") {
    return {
      withheld: { reason: "complaint", since: complaint.timestamp },
      kind: complaint.complaintFeedbackType ?? "unknown",
      addresses: complaint.complainedRecipients,
    };
  }
  return undefined;
};

/** Recipients are at times named as they stood in the mail: `Name <address>`. */
const bareAddress = (recipient: string): string => /<([^<>]+)>\s*$/.exec(recipient)?.[1] ?? recipient.trim();

/**
 * Takes note of what SES says about a mail: whoever cannot be reached for good, or complains, gets none any more.
 *
 * @throws ZodError when the event is none of SES's, and AwsCallError when the table does not take the note.
 */
export const noteFeedback = async (
  event: unknown,
  withheldMail: Pick<WithheldMail, "add">,
): Promise<void> => {
  const verdict = judge(sesEvent.parse(event).detail);
  if (!verdict) return;
  const { withheld, kind, addresses } = verdict;
  for (const { emailAddress } of addresses) await withheldMail.add(bareAddress(emailAddress), withheld);
  logger.info("mail.feedback", { reason: withheld.reason, kind, addresses: addresses.length });
};
