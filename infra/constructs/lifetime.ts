import { RemovalPolicy } from "aws-cdk-lib";
import type { LogGroupProps } from "aws-cdk-lib/aws-logs";
import type { StageSettings } from "../stage-settings.ts";

/**
 * A resource that outlives its stack, unless the operation that creates it fails. Otherwise the failed operation would leave it, and a
 * second attempt would find a function's version, or make a second table.
 */
export const retained = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** Whether a resource outlives its stack. */
export const removalPolicy = ({ REMOVAL }: Pick<StageSettings, "REMOVAL">): RemovalPolicy =>
  REMOVAL === "retain" ? retained : RemovalPolicy.DESTROY;

export type LogSettings = Pick<StageSettings, "LOG_RETENTION_DAYS" | "REMOVAL">;

/** How long a group of logs and its entries stay. */
export const logLifetime = (settings: LogSettings): LogGroupProps => ({
  retention: settings.LOG_RETENTION_DAYS,
  removalPolicy: removalPolicy(settings),
});
