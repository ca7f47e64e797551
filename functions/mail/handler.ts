import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { createTransport } from "nodemailer";
import { mailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { createWithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { findKeyName } from "../../shared/accounts/repositories/api-keys-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { sdkRequestHandler } from "../../shared/platform/outbound/sdk-request-handler.ts";
import { raceDeadline } from "../../shared/platform/outbound/timeouts.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { faultFields } from "../../shared/platform/telemetry/fault-metric.ts";
import { describeErrorName, logger } from "../../shared/platform/telemetry/logger.ts";
import { mailFunction } from "./contract.ts";
import { createMailLimits } from "./mail-limits.ts";
import { sendMail } from "./send-mail.ts";

const sesAttempts = 3;
const sesSilenceMilliseconds = 6_000;
/** All attempts at SES in full length, after a few calls to the table. */
const minMilliseconds = sesAttempts * sesSilenceMilliseconds + 2_000;

const environment = readEnvironment(mailFunction.environment, process.env);
const table = openLightTable(environment.TABLE_NAME, awsConfigOf(environment));
const sesClient = new SESv2Client({
  maxAttempts: sesAttempts,
  requestHandler: sdkRequestHandler(sesSilenceMilliseconds),
});
const transport = createTransport({ SES: { sesClient, SendEmailCommand } });

const dependencies = {
  accounts: createAccountsRepository(table),
  links: createLinksRepository(table),
  limits: createMailLimits(table),
  withheldMail: createWithheldMail(table),
  deliver: async (mail: { to: string; subject: string; text: string; html: string }) => {
    await transport.sendMail({
      ...mail,
      from: environment.MAIL_FROM,
      ses: { ConfigurationSetName: environment.MAIL_CONFIGURATION_SET },
    });
  },
  baseUrl: environment.PUBLIC_BASE_URL,
  findKeyName: (userId: number, keyId: string) => findKeyName(table, userId, keyId),
};

/** Sends a batch of the mail queue; failed messages are reported and come again, in order. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "sendMail",
    metricsNamespace: environment.METRICS_NAMESPACE,
    minMilliseconds,
    reserveMilliseconds: 1_000,
    work: async ({ body, messageId }, deadline) => {
      try {
        const request = mailRequest.parse(JSON.parse(body));
        // If Lambda ended this function, the whole batch would come again, with the mails that were already sent.
        await raceDeadline(deadline, () => sendMail(request, messageId, dependencies));
        return true;
      } catch (error) {
        // SES's messages can contain the recipient.
        logger.error("mail.failed", { reason: describeErrorName(error), ...faultFields(error) });
        return false;
      }
    },
  });
