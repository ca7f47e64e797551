import type { Context } from "aws-lambda";
import { openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { withVendorsNames } from "../../shared/accounts/usage/find-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { isReleaseCheck } from "../../shared/platform/release-check.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { sunsetFunction } from "./contract.ts";
import { notifyAccounts } from "./notify-accounts.ts";

/** Lambda would end the function without an error that names the cause. */
const reserveMilliseconds = 15_000;

const environment = readEnvironment(sunsetFunction.environment, process.env);
const dependencies = {
  table: requestTableFrom(environment),
  mailQueue: openMailQueue(environment.MAIL_QUEUE_URL, awsConfigOf(environment)),
  taskPaths: withVendorsNames(taskPaths, environment.LEGACY_VENDORS),
  sunset: environment.LEGACY_SUNSET,
};

/** Called on a schedule, once a day. Lambda retries twice when it throws. */
export const handler = async (event: unknown, context: Context): Promise<void> => {
  if (isReleaseCheck(event)) return;
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds);
  const count = await notifyAccounts(dependencies, signal);
  if (count > 0) logger.info("sunset.mailed", { count });
};
