import PostalMime, { type Address, addressParser } from "postal-mime";
import * as z from "zod";
import { AwsError } from "../aws-protocol/aws-server.ts";
import type { SentMail } from "./mail-store.ts";

/** One mailbox of an address list. */
interface Mailbox {
  /** Decoded display name, empty when there is none. */
  readonly name: string;
  /** `local@domain` as written; not checked. */
  readonly address: string;
}

/** The mailboxes of a list, those of its groups included. */
const withoutGroups = (addresses: readonly Address[]): Mailbox[] =>
  addresses.flatMap(({ name, address, group }): Mailbox[] => group ?? [{ name, address }]);

/** The mailboxes of one string of the API. Without angle brackets it is one address, valid or not. */
export const parseAddresses = (entry: string): Mailbox[] => {
  if (!entry.includes("<")) return [{ name: "", address: entry.trim() }];
  return withoutGroups(addressParser(entry));
};

/** `Name <local@domain>`, or the address alone. */
export const formatMailbox = ({ name, address }: Mailbox): string =>
  name === "" ? address : `${name} <${address}>`;

const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const localPartForm = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const quotedLocalPartForm = /^"(?:[ !#-[\]-~]|\\[ -~])+"$/;

/** Why SES would refuse an address; undefined when it is valid. SES only accepts ASCII. */
export const addressProblem = (address: string): string | undefined => {
  const at = address.lastIndexOf("@");
  if (at === -1) return "Missing final '@domain'";
  const local = address.slice(0, at);
  if (/[\s\p{Cc}]/u.test(local) && !quotedLocalPartForm.test(local)) {
    return "Local address contains control or whitespace";
  }
  if (!domainForm.test(address.slice(at + 1))) return "Domain contains illegal character";
  return localPartForm.test(local) || quotedLocalPartForm.test(local) ? undefined : "Illegal address";
};

const maxRecipients = 50;

const addressList = z.array(z.string()).default([]);
const content = z.object({ Data: z.string() });

/** The parts of SendEmail that decide who gets what; tags and reply addresses change nothing here. */
export const sendEmailSchema = z.object({
  FromEmailAddress: z.string().optional(),
  ConfigurationSetName: z.string().optional(),
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

/** A part's last line has no line break of its own: that one belongs to the framing, and the parser leaves it in. */
const withoutFraming = (part = ""): string => part.replace(/\n$/, "");

/** What the recipients of a MIME message see; a message that is attached is no part of its text. */
export const readRaw = async (message: Uint8Array): Promise<MailContent> => {
  const {
    from,
    to = [],
    cc = [],
    bcc = [],
    subject,
    text,
    html,
  } = await PostalMime.parse(message, {
    forceRfc822Attachments: true,
  });
  if (from === undefined) throw badRequest("Missing required header 'From'.");
  return {
    subject: subject ?? "",
    text: withoutFraming(text),
    html: withoutFraming(html),
    senders: withoutGroups([from]),
    recipients: withoutGroups([...to, ...cc, ...bcc]),
  };
};

const readContent = async ({ Raw, Simple, Template }: SendEmailInput["Content"]): Promise<MailContent> => {
  if ([Raw, Simple, Template].filter((kind) => kind !== undefined).length !== 1) {
    throw badRequest("Exactly one of Content.Simple, Content.Raw and Content.Template must be specified.");
  }
  if (Raw !== undefined) return readRaw(Buffer.from(Raw.Data, "base64"));
  if (Simple !== undefined) return readSimple(Simple);
  throw badRequest("Templates are not supported locally: send simple or raw content.");
};

const checkAddress = ({ address }: Mailbox): void => {
  const problem = addressProblem(address);
  if (problem !== undefined) throw badRequest(problem);
};

const checkRecipients = (recipients: readonly Mailbox[]): void => {
  if (recipients.length === 0) throw badRequest("At least one recipient is required.");
  if (recipients.length > maxRecipients) {
    throw badRequest(`Recipient count exceeds ${maxRecipients}.`);
  }
  recipients.forEach(checkAddress);
};

const checkSender = (sender: Mailbox): void => {
  checkAddress(sender);
  // No one can verify a domain below `.invalid` (RFC 2606). nodemailer's `verify()` sends from there and expects this
  // refusal to learn that credentials and region are valid.
  if (/[@.]invalid$/i.test(sender.address)) {
    throw new AwsError("MessageRejected", `Email address is not verified: ${sender.address}`);
  }
};

/**
 * Checks a mail as SES does and returns what its recipients will see. Recipients named in the request replace those
 * in the headers of a raw message.
 *
 *
 * @throws AwsError `BadRequestException` for a mail without recipients, sender or content or with a malformed
 * address, `MessageRejected` for a sender that can never be verified.
 */
export const readSendEmail = async (input: SendEmailInput, at: string): Promise<SentMail> => {
  const { senders, recipients, ...shown } = await readContent(input.Content);
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
