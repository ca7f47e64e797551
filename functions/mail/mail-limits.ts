import * as z from "zod";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { dayMilliseconds, minuteMilliseconds } from "../../shared/platform/durations.ts";
import type { Table } from "../../shared/platform/storage/table.ts";

/** A recipient gets one mail of each kind in this time. */
const pauseMilliseconds = minuteMilliseconds;

/** The max number of mails of all kinds to a recipient in a day. */
const maxMails = 5;

const sentMail = z.object({
  /** The id of the queue's message. */
  id: z.string(),
  kind: z.string(),
  /** Milliseconds of Unix time. */
  at: z.int(),
});
const sentItem = z.object({ sent: z.array(sentMail), revision: z.int() });

/** A mail that is about to be sent. */
export interface MailToSend {
  /** The id of the queue's message, which is the same when the message comes again. */
  readonly id: string;
  readonly kind: MailRequest["kind"];
  readonly email: string;
}

/** Protects people from floods of mails that others request in their name. */
export type MailLimits = ReturnType<typeof createMailLimits>;

/** The limits in the service's table; access pattern C4 of the README in `shared/accounts/limits`. */
export const createMailLimits = (table: Table, now: () => number = Date.now) => ({
  /** Returns whether the mail may be sent now, and counts it. */
  admit: async ({ id, kind, email }: MailToSend): Promise<boolean> => {
    const Key = limitKeys.mails(email);
    // Ends soon: an attempt fails only when another mail was counted, at most five times a day.
    for (;;) {
      const item = await table.read({ Key });
      const { sent, revision } = item ? sentItem.parse(item) : { sent: [], revision: 0 };
      const at = now();
      const recent = sent.filter((mail) => mail.at > at - dayMilliseconds);
      if (recent.some((mail) => mail.id === id)) return true;
      if (recent.length >= maxMails) return false;
      if (recent.some((mail) => mail.kind === kind && mail.at > at - pauseMilliseconds)) return false;
      const counted = {
        ...Key,
        sent: [...recent, { id, kind, at }],
        revision: revision + 1,
        expires_at: Math.ceil((at + dayMilliseconds) / 1_000),
      };
      const { applied } = await table.putIf(counted, {
        ConditionExpression: "attribute_not_exists(PK) OR revision = :revision",
        ExpressionAttributeValues: { ":revision": revision },
      });
      if (applied) return true;
    }
  },
});
