import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";

/** How long each value that an alarm looks at covers. */
export const alarmPeriod = Duration.minutes(5);

/** A condition somebody must look at. */
export interface Condition {
  /** What has happened and what to do about it, for whoever is woken by it. */
  readonly description: string;
  /** The heading in `infra/README.md` under which more is said. */
  readonly runbook: string;
  readonly metric: IMetric;
  /** The lowest value that counts. */
  readonly threshold: number;
  /** Of the last three periods, how many must reach the threshold. */
  readonly datapointsToAlarm: 1 | 2 | 3;
}
