import { Stack } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";

/** Tells an address when an alarm begins and when it ends; SNS first asks the address for its consent. */
export class AlarmMail extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { address, alarms }: { readonly address: string; readonly alarms: readonly Alarm[] },
  ) {
    super(scope, id);
    const topic = new Topic(this, "Topic", { displayName: "Language AI Service", enforceSSL: true });
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
    for (const alarm of alarms) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
    }
  }
}
