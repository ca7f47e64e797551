import { CrossStackReferences, ReferenceStrength, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";
import type { Condition } from "./alarm-conditions.ts";

/** An alarm for each condition that an operator must act on. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];
  /** The alarms by the names of their conditions. */
  readonly byName: ReadonlyMap<string, Alarm>;

  constructor(scope: Construct, id: string, conditions: Readonly<Record<string, Condition>>) {
    super(scope, id);
    const alarms = Object.entries(conditions).map(
      ([id, condition]) => [id, this.#add(id, condition)] as const,
    );
    this.byName = new Map(alarms);
    this.all = [...this.byName.values()];
  }

  #add(id: string, { name, description, runbook, ...condition }: Condition): Alarm {
    return new Alarm(this, id, {
      ...(name === undefined ? {} : { alarmName: name }),
      alarmDescription: `${description} Runbook: "${runbook}" in infra/handbook/runbook.md.`,
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...condition,
    });
  }
}

/** Sends a mail when an alarm starts and when it ends. SNS first asks the address for its consent. */
export class AlarmTopic extends Construct {
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, { address }: { readonly address: string }) {
    super(scope, id);
    const topic = new Topic(this, "Topic", { displayName: "Language AI Service", enforceSSL: true });
    this.#topic = topic;
    // A stage may drop the address again: CloudFormation then deletes the topic before it changes the alarms that name it.
    CrossStackReferences.of(topic).produce(ReferenceStrength.WEAK);
    // `enforceSSL` creates a policy, which replaces the default one that lets CloudWatch publish.
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

  /** Reports these alarms, which may be in any stack. */
  listenTo(alarms: readonly Alarm[]): void {
    for (const alarm of alarms) {
      alarm.addAlarmAction(new SnsAction(this.#topic));
      alarm.addOkAction(new SnsAction(this.#topic));
    }
  }
}
