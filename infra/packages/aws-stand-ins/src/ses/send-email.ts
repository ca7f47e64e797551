import * as z from "zod";
import { AwsError } from "../aws-protocol/aws-error.ts";
import type { SentMail } from "./mail-store.ts";
import { addressProblem, formatMailbox, type Mailbox, parseAddresses } from "./mime/addresses.ts";
import { parseMimeMessage } from "./mime/mime-message.ts";

const MAXIMUM_RECIPIENTS = 50;

const addressList = z.array(z.string()).default([]);
const content = z.object({ Data: z.string() });

/** The parts of SendEmail that decide who gets what; tags, reply addresses and configuration sets change nothing here. */
export const sendEmailSchema = z.object({
  FromEmailAddress: z.string().optional(),
  Destination: z
    .object({ ToAddresses: addressList, CcAddresses: addressList, BccAddresses: addressList })
    .optional(),
  Content: z.object({
    Raw: content.optional(),
    Simple: z
      .object({
        Subject: content,
        Body: z.object({ Text: content.optional(), Html: content.optional() }),
      })
      .optional(),
    Template: z.unknown().optional(),
  }),
});

export type SendEmailInput = z.output<typeof sendEmailSchema>;

const badRequest = (message: string): AwsError => new AwsError("BadRequestException", message);

type MailContent = Pick<SentMail, "subject" | "text" | "html"> & {
  readonly senders: Mailbox[];
  readonly recipients: Mailbox[];
};

type SimpleContent = NonNullable<SendEmailInput["Content"]["Simple"]>;

const readSimple = ({ Subject, Body }: SimpleContent): MailContent => {
  if (/\p{Cc}/u.test(Subject.Data)) throw badRequest("Header value can't contain control characters.");
  if (Body.Text === undefined && Body.Html === undefined) throw badRequest("Missing required content: body.");
  return {
    subject: Subject.Data,
    text: Body.Text?.Data ?? "",
    html: Body.Html?.Data ?? "",
    senders: [],
    recipients: [],
  };
};

const readRaw = (data: string): MailContent => {
  const { headers, subject, text, html } = parseMimeMessage(Buffer.from(data, "base64"));
  const mailboxes = (...names: string[]) => names.flatMap((name) => parseAddresses(headers.get(name) ?? ""));
  const senders = mailboxes("from");
  if (senders.length === 0) throw badRequest("Missing required header 'From'.");
  return { subject, text, html, senders, recipients: mailboxes("to", "cc", "bcc") };
};

const readContent = ({ Raw, Simple, Template }: SendEmailInput["Content"]): MailContent => {
  if ([Raw, Simple, Template].filter((kind) => kind !== undefined).length !== 1) {
    throw badRequest("Exactly one of Content.Simple, Content.Raw and Content.Template must be specified.");
  }
  if (Raw !== undefined) return readRaw(Raw.Data);
  if (Simple !== undefined) return readSimple(Simple);
  throw badRequest("Templates are not kept locally: send simple or raw content.");
};

const checkAddress = ({ address }: Mailbox): void => {
  const problem = addressProblem(address);
  if (problem !== undefined) throw badRequest(problem);
};

const checkRecipients = (recipients: readonly Mailbox[]): void => {
  if (recipients.length === 0) throw badRequest("At least one recipient is required.");
  if (recipients.length > MAXIMUM_RECIPIENTS) {
    throw badRequest(`Recipient count exceeds ${MAXIMUM_RECIPIENTS}.`);
  }
  recipients.forEach(checkAddress);
};

const checkSender = (sender: Mailbox): void => {
  checkAddress(sender);
  // Nobody can verify a domain below `.invalid` (RFC 2606). nodemailer's `verify()` sends from there and counts on
  // this very refusal to learn that credentials and region are good.
  if (/[@.]invalid$/i.test(sender.address)) {
    throw new AwsError("MessageRejected", `Email address is not verified: ${sender.address}`);
  }
};

/**
 * Checks a mail as SES does and gives what its recipients will see. Recipients named in the request take the place of
 * those in the headers of a raw message.
 *
 * @throws AwsError `BadRequestException` for a mail without recipients, sender or content or with a malformed address,
 *   `MessageRejected` for a sender that can never be verified.
 */
export const readSendEmail = (input: SendEmailInput, at: string): SentMail => {
  const { senders, recipients, ...shown } = readContent(input.Content);
  const requested = input.FromEmailAddress === undefined ? [] : parseAddresses(input.FromEmailAddress);
  const [sender] = senders.length > 0 ? senders : requested;
  if (sender === undefined) throw badRequest("FromEmailAddress is required.");
  [sender, ...requested].forEach(checkSender);
  const destination = input.Destination && [
    ...input.Destination.ToAddresses,
    ...input.Destination.CcAddresses,
    ...input.Destination.BccAddresses,
  ];
  const to = destination?.flatMap((entry) => parseAddresses(entry)) ?? recipients;
  checkRecipients(to);
  return { ...shown, from: formatMailbox(sender), to: to.map(({ address }) => address), at };
};
