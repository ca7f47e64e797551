import type { Context } from "aws-lambda";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openAwsJsonService } from "../../shared/platform/outbound/aws-json.ts";
import { checkRelease } from "./check-release.ts";
import { releaseCheckFunction } from "./contract.ts";
import { createInvoker } from "./invoke-version.ts";

/** Reserved of the time to report to CodeDeploy, which would otherwise wait for an hour. */
const reserveMilliseconds = 15_000;

const environment = readEnvironment(releaseCheckFunction.environment, process.env);
const aws = awsConfigOf(environment);
const dependencies = {
  codeDeploy: openAwsJsonService("CodeDeploy", aws),
  versions: environment.CHECKED_VERSIONS,
  invoke: createInvoker(aws),
};

/** Invoked by CodeDeploy before a new version gets calls. */
export const handler = (event: unknown, context: Context): Promise<void> => {
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds);
  return checkRelease(event, dependencies, signal);
};
