import { CrossStackReferences, Duration, ReferenceStrength, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { canaryFunction } from "../../functions/canary/contract.ts";
import { mailFeedbackFunction } from "../../functions/mail-feedback/contract.ts";
import { webhookFunction } from "../../functions/webhook/contract.ts";
import type { LogEvent } from "../../shared/platform/telemetry/log-events.ts";
import { acknowledge } from "./acknowledge.ts";
import { type Condition, eventConditions, type Monitored } from "./alarm-conditions.ts";
import type { ServiceFunction } from "./service-function.ts";

/** An alarm for each condition somebody must look at. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];
  readonly #byName: ReadonlyMap<string, Alarm>;

  constructor(scope: Construct, id: string, conditions: Readonly<Record<string, Condition>>) {
    super(scope, id);
    this.#byName = new Map(
      Object.entries(conditions).map(
        ([name, { description, runbook, metric, threshold, datapointsToAlarm }]) => [
          name,
          new Alarm(this, name, {
            alarmDescription: `${description} Runbook: "${runbook}" in infra/handbook/runbook.md.`,
            metric,
            threshold,
            datapointsToAlarm,
            evaluationPeriods: 3,
            comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }),
        ],
      ),
    );
    this.all = [...this.#byName.values()];
  }

  /** Of the alarms for releases, those that tell of a bad release of this function. */
  againstRelease({ node }: ServiceFunction): Alarm[] {
    return [this.#byName.get(`${node.id}Failures`), this.#byName.get("ServerErrors")].filter(
      (alarm) => alarm !== undefined,
    );
  }
}

/** What is counted in the functions' logs, because AWS counts nothing like it. */
export class EventCounts extends Construct {
  readonly all: readonly EventCount[];
  readonly conditions: Readonly<Record<string, Condition>>;

  constructor(
    scope: Construct,
    id: string,
    { authorizer, functions, metricsNamespace: metricNamespace }: Monitored,
  ) {
    super(scope, id);
    const named = (name: string) => functions.filter(({ definition }) => definition.name === name);
    const counts = {
      uncounted: new EventCount(this, "NotCounted", {
        event: "limits.not_counted",
        functions,
        metricNamespace,
      }),
      unchecked: new EventCount(this, "NotChecked", {
        event: "authorizer.failed",
        functions: [authorizer],
        metricNamespace,
      }),
      brokenOff: new EventCount(this, "BrokenOff", { event: "chat.broken_off", functions, metricNamespace }),
      notQueueable: new EventCount(this, "NotQueueable", {
        event: "message.not_queueable",
        functions: named(webhookFunction.name),
        metricNamespace,
      }),
      cameBack: new EventCount(this, "CameBack", {
        event: "mail.feedback",
        functions: named(mailFeedbackFunction.name),
        metricNamespace,
      }),
      canaryFailed: new EventCount(this, "CanaryFailed", {
        event: "canary.failed",
        functions: named(canaryFunction.name),
        metricNamespace,
      }),
    };
    this.all = Object.values(counts);
    this.conditions = eventConditions(counts);
  }
}

interface EventCountProps {
  readonly event: LogEvent;
  /** Whose logs are looked through. */
  readonly functions: readonly ServiceFunction[];
  readonly metricNamespace: string;
}

/** Counts how often functions log an event. */
export class EventCount extends Construct {
  /** The sum over the functions, in each five minutes. */
  readonly metric: IMetric;

  constructor(scope: Construct, id: string, { event, functions, metricNamespace }: EventCountProps) {
    super(scope, id);
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

/** Tells an address when an alarm begins and when it ends; SNS first asks the address for its consent. */
export class AlarmTopic extends Construct {
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, { address }: { readonly address: string }) {
    super(scope, id);
    const topic = new Topic(this, "Topic", { displayName: "Language AI Service", enforceSSL: true });
    this.#topic = topic;
    // So that a stage can do without the address again: the topic goes before the alarms that name it are changed.
    CrossStackReferences.of(topic).produce(ReferenceStrength.WEAK);
    // A policy of its own, as `enforceSSL` makes one, replaces the default that lets CloudWatch publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    );
    topic.addSubscription(new EmailSubscription(address));
    acknowledge(
      topic,
      "Serverless-SNSRedrivePolicy",
      "SNS does not report whether a mail was read; the alarm itself stays visible.",
    );
  }

  /** Has the address told of alarms, in whichever stack they are. */
  listenTo(alarms: readonly Alarm[]): void {
    for (const alarm of alarms) {
      alarm.addAlarmAction(new SnsAction(this.#topic));
      alarm.addOkAction(new SnsAction(this.#topic));
    }
  }
}
