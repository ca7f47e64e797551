import * as z from "zod";
import type { AwsJsonService } from "../../shared/platform/outbound/aws-json.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { checkVersion } from "./check-version.ts";
import type { InvokeVersion } from "./invoke-version.ts";

/** What the check of a release needs. */
export interface ReleaseDependencies {
  readonly codeDeploy: Pick<AwsJsonService, "call">;
  /** The ARN of the new version of each function, by the function's name, which is also that of its deployment group. */
  readonly versions: Readonly<Record<string, string>>;
  readonly invoke: InvokeVersion;
}

const hookEvent = z.object({ DeploymentId: z.string(), LifecycleEventHookExecutionId: z.string() });
const deployment = z.object({ deploymentInfo: z.object({ deploymentGroupName: z.string() }) });

const checkDeployment = async (
  deploymentId: string,
  { codeDeploy, versions, invoke }: ReleaseDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const found = await codeDeploy.call("GetDeployment", { deploymentId }, signal);
  const { deploymentGroupName: name } = deployment.parse(found).deploymentInfo;
  const version = versions[name];
  if (!version) throw new Error(`The version of the function "${name}" is unknown.`);
  await checkVersion(name, (event) => invoke(version, event, signal));
};

/**
 * Checks the new version that a deployment is about to release, and reports to CodeDeploy whether callers may reach it.
 *
 * @param signal ends the check, which then has failed.
 * @throws Error when CodeDeploy does not accept the report.
 */
export const checkRelease = async (
  event: unknown,
  dependencies: ReleaseDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const ids = hookEvent.parse(event);
  const { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId } = ids;
  let status = "Succeeded";
  try {
    await checkDeployment(deploymentId, dependencies, signal);
  } catch (error) {
    status = "Failed";
    logger.error("release.refused", { reason: describeError(error) });
  }
  const report = { deploymentId, lifecycleEventHookExecutionId, status };
  await dependencies.codeDeploy.call("PutLifecycleEventHookExecutionStatus", report);
};
