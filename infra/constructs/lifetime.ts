import { RemovalPolicy } from "aws-cdk-lib";
import type { LogGroupProps } from "aws-cdk-lib/aws-logs";
import type { StageSettings } from "../stage-settings.ts";

/** Whether a resource outlives its stack. */
export const removalPolicy = ({ REMOVAL }: Pick<StageSettings, "REMOVAL">): RemovalPolicy =>
  REMOVAL === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

export type LogSettings = Pick<StageSettings, "LOG_RETENTION_DAYS" | "REMOVAL">;

/** How long a group of logs and its entries stay. */
export const logLifetime = (settings: LogSettings): LogGroupProps => ({
  retention: settings.LOG_RETENTION_DAYS,
  removalPolicy: removalPolicy(settings),
});
