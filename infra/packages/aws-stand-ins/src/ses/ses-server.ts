import { randomUUID } from "node:crypto";
import { AwsError, type AwsProtocol, startAwsServer } from "../aws-protocol/aws-server.ts";
import type { Authority } from "../iam/authority.ts";
import { MailStore, type SentMail } from "./mail-store.ts";
import { requireAccessToSend } from "./required-access.ts";
import { readSendEmail, sendEmailSchema } from "./send-email.ts";

export type { SentMail } from "./mail-store.ts";

// SES takes messages of 40 MB, which arrive in base64 inside JSON.
const maxBodyBytes = 56 * 1_048_576;

/** SES (API version 2) on this machine: it stores mails instead of sending them. */
export interface SesServer {
  readonly endpoint: string;
  /** Everything accepted so far, oldest first; stored across restarts. */
  sentMail(): SentMail[];
  close(): Promise<void>;
}

interface SesOptions {
  /** The folder of `mail.sqlite`; created when it is missing. */
  readonly dataDirectory: string;
  /** 0, the default, lets the system choose one. */
  readonly port?: number;
  /** Judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
}

const sesProtocol = (mails: MailStore, authority: Authority | undefined): AwsProtocol => ({
  contentType: "application/json",
  maxBodyBytes: maxBodyBytes,
  respond: async ({ method, path, accessKeyId, body }) => {
    if (method !== "POST" || path !== "/v2/email/outbound-emails") {
      throw new AwsError(
        "UnknownOperationException",
        `The embedded SES does not know ${method} ${path}.`,
        404,
      );
    }
    const input = sendEmailSchema.safeParse(body);
    if (!input.success) {
      const [issue] = input.error.issues;
      throw new AwsError("BadRequestException", `${issue?.path.join(".")}: ${issue?.message}`);
    }
    const at = new Date().toISOString();
    const mail = await readSendEmail(input.data, at);
    requireAccessToSend(authority, accessKeyId, input.data, mail.from);
    mails.add(mail);
    return { MessageId: `${Date.parse(at).toString(16).padStart(16, "0")}-${randomUUID()}-000000` };
  },
  describeError: ({ code, message }) => ({ headers: { "x-amzn-errortype": code }, body: { message } }),
});

/** Starts the service on the loopback interface. */
export const startSes = async ({ dataDirectory, port, authority }: SesOptions): Promise<SesServer> => {
  const mails = new MailStore(dataDirectory);
  const server = await startAwsServer(sesProtocol(mails, authority), port).catch((error: unknown) => {
    mails.close();
    throw error;
  });
  return {
    endpoint: server.endpoint,
    sentMail: () => mails.all(),
    close: async () => {
      await server.close();
      mails.close();
    },
  };
};
