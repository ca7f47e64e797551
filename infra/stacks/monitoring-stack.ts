import { CfnOutput, CrossStackReferences, ReferenceStrength, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import {
  apiConditions,
  capacityConditions,
  functionConditions,
  functionUrlConditions,
} from "../constructs/alarm-conditions.ts";
import { Alarms } from "../constructs/alarms.ts";
import { backendConditions } from "../constructs/backend-monitoring.ts";
import { EventCounts } from "../constructs/event-counts.ts";
import { queueConditions } from "../constructs/queue-conditions.ts";
import { rareConditions } from "../constructs/rare-conditions.ts";
import { RequestLogFeed } from "../constructs/request-log-feed.ts";
import { ServiceDashboard } from "../constructs/service-dashboard.ts";
import { type Stage, silenceOf } from "../stages.ts";
import type { ApiStack } from "./api-stack.ts";
import type { DataStack } from "./data-stack.ts";
import type { WorkersStack } from "./workers-stack.ts";

export interface MonitoringStackProps extends StackProps {
  readonly stage: Stage;
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly workers: WorkersStack;
}

/**
 * The dashboard, the alarms that call an operator, and the feed of the request log. It refers to the other stacks by weak references, because an export
 * would keep a function from being deleted.
 */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, api, workers, ...props }: MonitoringStackProps) {
    super(scope, id, props);
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    const monitored = {
      api: api.restApi,
      functions: [...api.functions.all, ...workers.functions],
      metricsNamespace: stage.prefix,
      settings: stage.settings,
      accessLog: api.accessLog,
      mailFeedbackRule: workers.mailFeedbackRule,
      table: data.table,
      mail: data.mail,
      messages: data.messages,
      callbacks: data.callbacks,
      jobs: data.jobs,
      exports: data.exports,
    };
    new RequestLogFeed(this, "RequestLog", {
      functions: api.functions.all,
      destination: workers.requestLog,
      logGroups: stage.prefix,
    });
    const events = new EventCounts(this, "Events", monitored);
    const { all } = new Alarms(this, "Alarms", {
      ...apiConditions(monitored),
      ...functionUrlConditions(monitored),
      ...capacityConditions(monitored),
      ...rareConditions(this, monitored),
      ...queueConditions(monitored),
      ...events.conditions,
      ...functionConditions(monitored),
      ...backendConditions(monitored.metricsNamespace),
    });
    data.alarmTopic?.listenTo(all);
    const value = silenceOf(stage);
    if (value) new CfnOutput(this, "SilentAlarms", { value, description: "A setting that is missing." });
    new ServiceDashboard(this, "Overview", {
      ...monitored,
      alarms: all,
      eventCounts: events.metrics,
    });
  }
}
