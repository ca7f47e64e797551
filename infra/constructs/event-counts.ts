import { Duration } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { canaryFunction } from "../../functions/canary/contract.ts";
import { mailFeedbackFunction } from "../../functions/mail-feedback/contract.ts";
import { webhookFunction } from "../../functions/webhook/contract.ts";
import type { LogEvent } from "../../shared/platform/telemetry/log-events.ts";
import type { Condition, Monitored } from "./alarm-conditions.ts";
import type { ServiceFunction } from "./service-function.ts";

interface CountedEvent extends Omit<Condition, "metric"> {
  /** The id of its construct. */
  readonly id: string;
  readonly alarm: string;
  readonly event: LogEvent;
  /** The one function that logs it; by default any function may. */
  readonly loggedBy?: string;
}

/** Events that need an alarm and that AWS does not count. */
const countedEvents: readonly CountedEvent[] = [
  {
    id: "NotCounted",
    alarm: "UncountedRequests",
    event: "limits.not_counted",
    description:
      "The table does not respond in time, so requests of accounts get 503, and those of addresses are counted in memory. " +
      "Check the table's throttled requests and AWS's health page.",
    runbook: "Requests are not counted",
    threshold: 20,
    datapointsToAlarm: 1,
  },
  {
    id: "NotChecked",
    alarm: "UncheckedTokens",
    event: "authorizer.failed",
    loggedBy: authorizerFunction.name,
    description:
      "The authorizer cannot check tokens, so callers with valid ones get 500. The `reason` of `authorizer.failed` in " +
      "its log says why it cannot read the signing secret.",
    runbook: "Tokens cannot be checked",
    threshold: 3,
    datapointsToAlarm: 1,
  },
  {
    id: "BrokenOff",
    alarm: "BrokenStreams",
    event: "chat.broken_off",
    description:
      "Streams of chat stop before their end. Their status is 200, so no count of statuses shows it. Read `code` and `reason` " +
      "of `chat.broken_off` in the chat function's log, then check the model server.",
    runbook: "Streams break off",
    threshold: 5,
    datapointsToAlarm: 1,
  },
  {
    id: "KeyRefused",
    alarm: "ModelKeyRefused",
    event: "model.key_refused",
    description:
      "A model server refuses our key with 401 or 403. If its task has other servers, those respond instead; otherwise callers get " +
      "502. `server` and `backend` of `model.key_refused` name the server and its task.",
    runbook: "A model server refuses our key",
    threshold: 1,
    datapointsToAlarm: 1,
  },
  {
    id: "NotQueueable",
    alarm: "UnqueueableMessages",
    event: "message.not_queueable",
    loggedBy: webhookFunction.name,
    description:
      "SQS refuses a person's message to the assistant, so it gets no reply. `code` of `message.not_queueable` in the " +
      "webhook's log is the reason. All other messages get their replies.",
    runbook: "A message cannot be queued",
    threshold: 1,
    datapointsToAlarm: 1,
  },
  {
    id: "CameBack",
    alarm: "MailsComeBack",
    event: "mail.feedback",
    loggedBy: mailFeedbackFunction.name,
    description:
      "Ten mails in five minutes bounced for good or caused complaints. Perhaps a client registers other people's addresses. " +
      "SES stops a sender whose bounce rate is too high, for every account. `reason` of `mail.feedback` has the details.",
    runbook: "Mails come back",
    threshold: 10,
    datapointsToAlarm: 1,
  },
  {
    id: "CanaryFailed",
    alarm: "CanaryFails",
    event: "canary.failed",
    loggedBy: canaryFunction.name,
    description:
      "Twice in a row the canary got other responses than callers should get. `reason` of `canary.failed` in its log says " +
      "which request fails and how.",
    runbook: "The canary fails",
    threshold: 1,
    datapointsToAlarm: 2,
  },
];

/** Counts the events in the functions' logs that need an alarm and that AWS does not count. */
export class EventCounts extends Construct {
  /** How often each event was logged, in each five minutes. */
  readonly metrics: readonly IMetric[];
  readonly conditions: Readonly<Record<string, Condition>>;

  constructor(scope: Construct, id: string, { functions, metricsNamespace }: Monitored) {
    super(scope, id);
    const counted = countedEvents.map(({ id: countId, alarm, event, loggedBy, ...condition }) => {
      const loggers = functions.filter(
        ({ definition }) => loggedBy === undefined || definition.name === loggedBy,
      );
      const { metric } = new EventCount(this, countId, event, loggers, metricsNamespace);
      return { alarm, condition: { ...condition, metric } };
    });
    this.metrics = counted.map(({ condition }) => condition.metric);
    this.conditions = Object.fromEntries(counted.map(({ alarm, condition }) => [alarm, condition]));
  }
}

class EventCount extends Construct {
  readonly metric: IMetric;

  constructor(
    scope: Construct,
    id: string,
    event: LogEvent,
    functions: readonly ServiceFunction[],
    namespace: string,
  ) {
    super(scope, id);
    for (const { node, lambda } of functions) {
      new MetricFilter(this, node.id, {
        logGroup: lambda.logGroup,
        metricNamespace: namespace,
        metricName: event,
        metricValue: "1",
        filterPattern: FilterPattern.stringValue("$.message", "=", event),
      });
    }
    this.metric = new Metric({
      namespace,
      metricName: event,
      label: event,
      statistic: Stats.SUM,
      period: Duration.minutes(5),
    });
  }
}
