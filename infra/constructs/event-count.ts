import { Duration, Stack } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { LogEvent } from "../../shared/telemetry/log-events.ts";
import type { ServiceFunction } from "./service-function.ts";

export interface EventCountProps {
  readonly event: LogEvent;
  /** Whose logs are looked through. */
  readonly functions: readonly ServiceFunction[];
}

/** Counts how often functions log an event. */
export class EventCount extends Construct {
  /** The sum over the functions, in each five minutes. */
  readonly metric: IMetric;

  constructor(scope: Construct, id: string, { event, functions }: EventCountProps) {
    super(scope, id);
    // The functions' own metrics are filed under the same name.
    const metricNamespace = Stack.of(this).stackName;
    for (const { node, lambda } of functions) {
      new MetricFilter(this, node.id, {
        logGroup: lambda.logGroup,
        metricNamespace,
        metricName: event,
        metricValue: "1",
        filterPattern: FilterPattern.stringValue("$.message", "=", event),
      });
    }
    this.metric = new Metric({
      namespace: metricNamespace,
      metricName: event,
      label: event,
      statistic: Stats.SUM,
      period: Duration.minutes(5),
    });
  }
}
