import { NestedStack } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import {
  apiConditions,
  capacityConditions,
  functionConditions,
  functionUrlConditions,
  type Monitored,
  metricNamespaceOf,
  queueConditions,
} from "../constructs/alarm-conditions.ts";
import { Alarms, EventCounts } from "../constructs/alarms.ts";
import { backendConditions } from "../constructs/backend-monitoring.ts";
import { ServiceDashboard } from "../constructs/service-dashboard.ts";

export interface MonitoringStackProps extends Monitored {
  /** The alarms that releases look at, which the dashboard shows as well. */
  readonly releaseAlarms: readonly Alarm[];
}

/**
 * What watches the API and nothing of it needs: a stack within its stack, because CloudFormation takes 500 resources in
 * one, and most of those are routes.
 */
export class MonitoringStack extends NestedStack {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { releaseAlarms, ...monitored }: MonitoringStackProps) {
    super(scope, id, { description: "Language AI Service: alarms and dashboard" });
    const events = new EventCounts(this, "Events", monitored);
    const { all } = new Alarms(this, "Alarms", {
      ...apiConditions(monitored),
      ...functionUrlConditions(monitored),
      ...capacityConditions(monitored),
      ...queueConditions(monitored),
      ...events.conditions,
      ...functionConditions(monitored),
      ...backendConditions(metricNamespaceOf(monitored.api)),
    });
    this.alarms = all;
    new ServiceDashboard(this, "Overview", {
      ...monitored,
      alarms: [...releaseAlarms, ...all],
      eventCounts: events.all,
    });
  }
}
