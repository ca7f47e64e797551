import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { createTransport } from "nodemailer";
import { createAccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import { createLinksRepository } from "../../shared/accounts/links-repository.ts";
import { readEnvironment } from "../../shared/config/environment.ts";
import { mailRequest } from "../../shared/mail/mail-request.ts";
import { openTable } from "../../shared/storage/table.ts";
import { logger } from "../../shared/telemetry/logger.ts";
import { mailFunction } from "./contract.ts";
import { sendMail } from "./send-mail.ts";

const environment = readEnvironment(mailFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const sesClient = new SESv2Client({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
});
const transport = createTransport({ SES: { sesClient, SendEmailCommand } });

const dependencies = {
  accounts: createAccountsRepository(table),
  links: createLinksRepository(table),
  deliver: async (mail: { to: string; subject: string; text: string; html: string }) => {
    await transport.sendMail({ ...mail, from: environment.MAIL_FROM });
  },
  baseUrl: environment.PUBLIC_BASE_URL,
};

/** Works through a batch of the mail queue; what failed is reported and comes again, in order. */
export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  for (const [index, record] of event.Records.entries()) {
    try {
      await sendMail(mailRequest.parse(JSON.parse(record.body)), dependencies);
    } catch (error) {
      logger.error("mail.failed", { reason: error instanceof Error ? error.name : "unknown" });
      // FIFO: a later mail must not overtake the failed one.
      return {
        batchItemFailures: event.Records.slice(index).map(({ messageId }) => ({ itemIdentifier: messageId })),
      };
    }
  }
  return { batchItemFailures: [] };
};
