import { openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { createRequestLog } from "../../shared/accounts/requests/request-log.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { isReleaseCheck } from "../../shared/platform/release-check.ts";
import { describeErrorName, logger } from "../../shared/platform/telemetry/logger.ts";
import { accountPoliciesFrom, requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { alertOwners } from "./alert-owners.ts";
import { requestLogFunction } from "./contract.ts";
import { readLines } from "./read-lines.ts";

const environment = readEnvironment(requestLogFunction.environment, process.env);
const table = requestTableFrom(environment);
const log = createRequestLog(table);
const alerts = {
  table,
  mailQueue: openMailQueue(environment.MAIL_QUEUE_URL, awsConfigOf(environment)),
  policyOf: accountPoliciesFrom(environment),
};

/** Stores a batch of log lines that CloudWatch sends, and mails owners whose month is nearly used. Lambda repeats it twice when it throws. */
export const handler = async (event: unknown): Promise<void> => {
  if (isReleaseCheck(event)) return;
  try {
    await alertOwners(await log.add(await readLines(event)), alerts);
  } catch (error) {
    logger.error("request_log.not_stored", { reason: describeErrorName(error) });
    throw error;
  }
};
