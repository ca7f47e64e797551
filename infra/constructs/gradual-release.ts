import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";
import type { ServiceFunction } from "./service-function.ts";

export interface GradualReleaseProps {
  readonly functions: readonly ServiceFunction[];
  /** Any of them rolls the release back. */
  readonly alarmsOf: (serviceFunction: ServiceFunction) => readonly Alarm[];
}

/**
 * A release gets a tenth of the calls for five minutes, then all of them. When one of its alarms starts before that, CodeDeploy
 * sends every call to the previous version again, and CloudFormation rolls the stack back.
 */
export class GradualRelease extends Construct {
  constructor(scope: Construct, id: string, { functions, alarmsOf }: GradualReleaseProps) {
    super(scope, id);
    const application = new LambdaApplication(this, "Application");
    // One for all groups: each would create its own, and the resources of a stack are limited.
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    acknowledge(
      role,
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
      "AWS maintains the policy with which CodeDeploy moves an alias.",
    );
    for (const each of functions) {
      new LambdaDeploymentGroup(this, each.node.id, {
        application,
        role,
        alias: each.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...alarmsOf(each)],
      });
    }
  }
}
