import * as z from "zod";
import type { Withheld, WithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";

const recipients = z.array(z.object({ emailAddress: z.string() }));

/** An event of SES in EventBridge's envelope. */
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

/** Returns whom to block. A temporary bounce, such as a full mailbox, blocks no one; nor does a report that a mail is not spam. */
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

/** Returns the address of a recipient, which may be written as `Name <address>`. */
const bareAddress = (recipient: string): string => /<([^<>]+)>\s*$/.exec(recipient)?.[1] ?? recipient.trim();

/**
 * Blocks recipients whose address bounces permanently, or who complain.
 *
 * @throws ZodError when the event is not from SES; AwsCallError when the table fails.
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
