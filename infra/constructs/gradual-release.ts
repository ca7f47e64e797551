import { ArnFormat, Aws, Duration, Stack } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { Grant, ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { releaseCheckFunction } from "../../functions/release-check/contract.ts";
import { faultMetric } from "../../shared/platform/telemetry/fault-metric.ts";
import { acknowledge } from "./acknowledge.ts";
import type { Condition } from "./alarm-conditions.ts";
import { Alarms } from "./alarms.ts";
import type { Binding } from "./bindings.ts";
import { ServiceFunction, type ServiceFunctionProps } from "./service-function.ts";

export interface GradualReleaseProps extends Pick<ServiceFunctionProps<never>, "bundles" | "stage"> {
  readonly functions: readonly ServiceFunction[];
}

const counted = { statistic: Stats.SUM, period: Duration.minutes(1) };

/** Faults that the log of a function's new version reports. */
const faultsOf = ({ lambda }: ServiceFunction, namespace: string): IMetric =>
  new Metric({
    ...counted,
    namespace,
    metricName: faultMetric.name,
    dimensionsMap: { [faultMetric.dimension]: `${lambda.functionName}:${lambda.currentVersion.version}` },
  });

/** Invocations of the new version that ended without a response: crashes, timeouts, too little memory. */
const errorsOf = ({ lambda, alias }: ServiceFunction): IMetric =>
  new Metric({
    ...counted,
    namespace: "AWS/Lambda",
    metricName: "Errors",
    dimensionsMap: {
      FunctionName: lambda.functionName,
      Resource: `${lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: lambda.currentVersion.version,
    },
  });

/**
 * One in any of the last three minutes: a count that arrives late is not missed. The two metrics have an alarm each, because an
 * expression over both would depend on how CloudWatch fills one that was never written.
 */
const releaseFails = (each: ServiceFunction, namespace: string): Readonly<Record<string, Condition>> => {
  const { definition, lambda, node } = each;
  const condition = (kind: string, metric: IMetric) => ({
    // Another name creates another alarm, so no version starts with the alarm of the one before.
    name: `${lambda.functionName}-${lambda.currentVersion.version}-${kind}`,
    description:
      `The newest version of the function "${definition.name}" fails. During a release CodeDeploy takes it back; later ` +
      "this alarm has no effect. `request.failed` and the end of the version's log have the reason.",
    runbook: "A release goes back",
    metric,
    threshold: 1,
    datapointsToAlarm: 1 as const,
  });
  return {
    [`${node.id}Faults`]: condition("faults", faultsOf(each, namespace)),
    // It throws to refuse a token, so Lambda's count of its errors includes those.
    ...(definition.name === authorizerFunction.name
      ? {}
      : { [`${node.id}Errors`]: condition("errors", errorsOf(each)) }),
  };
};

/**
 * A release gets a tenth of the calls for five minutes, then all of them, once its new versions have responded to their sample
 * events. When a new version fails before that, CodeDeploy sends every call to the previous one again, and CloudFormation rolls the
 * stack back.
 */
export class GradualRelease extends Construct {
  readonly #application = new LambdaApplication(this, "Application");

  constructor(scope: Construct, id: string, { functions, bundles, stage }: GradualReleaseProps) {
    super(scope, id);
    const hook = new ServiceFunction(this, "Check", {
      definition: releaseCheckFunction,
      environment: { CHECKED_VERSIONS: this.#versionsBinding(functions) },
      bundles,
      stage,
      // CodeDeploy's role may invoke functions with such names.
      functionName: `CodeDeployHook_${Aws.STACK_NAME}-${id}`,
    });
    const role = this.#createRole();
    const watched = functions.map((each) => [each, releaseFails(each, stage.prefix)] as const);
    const conditions = Object.assign({}, ...watched.map(([, own]) => own));
    const { byName } = new Alarms(this, "Alarms", conditions);
    for (const [{ alias, definition, node }, own] of watched) {
      new LambdaDeploymentGroup(this, node.id, {
        application: this.#application,
        role,
        deploymentGroupName: definition.name,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: Object.keys(own).flatMap((name) => byName.get(name) ?? []),
        preHook: hook.lambda,
      });
    }
  }

  /** One for all groups: each would create its own, and the resources of a stack are limited. */
  #createRole() {
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("codedeploy.amazonaws.com"),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName("service-role/AWSCodeDeployRoleForLambdaLimited"),
      ],
    });
    acknowledge(
      role,
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
      "AWS maintains the policy with which CodeDeploy moves an alias.",
    );
    return role.withoutPolicyUpdates();
  }

  /** The new versions, with the permission to invoke them and to read the deployments that release them. */
  #versionsBinding(functions: readonly ServiceFunction[]): Binding {
    const stack = Stack.of(this);
    const versions = functions.map(({ definition, lambda }) => ({
      name: definition.name,
      arn: lambda.currentVersion.functionArn,
    }));
    const { applicationName } = this.#application;
    const groupArns = versions.map(({ name }) =>
      stack.formatArn({
        service: "codedeploy",
        resource: "deploymentgroup",
        resourceName: `${applicationName}/${name}`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    );
    return {
      value: stack.toJsonString(Object.fromEntries(versions.map(({ name, arn }) => [name, arn]))),
      grant: (grantee) => {
        const resourceArns = versions.map(({ arn }) => arn);
        Grant.addToPrincipal({ grantee, actions: ["lambda:InvokeFunction"], resourceArns });
        Grant.addToPrincipal({
          grantee,
          actions: ["codedeploy:GetDeployment"],
          resourceArns: groupArns,
        });
      },
    };
  }
}
