import { CrossStackReferences, ReferenceStrength, Stack, type StackProps } from "aws-cdk-lib";
import type { Rule } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { GradualRelease } from "../constructs/gradual-release.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { FunctionGroupProps } from "./common-bindings.ts";
import { OperatorRole } from "./operator-role.ts";
import { WorkerFunctions } from "./worker-functions.ts";

export interface WorkersStackProps extends StackProps, FunctionGroupProps {}

/**
 * The functions of queues, schedules and events, and the role of operators. They have their own stack because CloudFormation allows 500 resources in one,
 * and the API's routes need most of these.
 */
export class WorkersStack extends Stack {
  readonly functions: readonly ServiceFunction[];
  readonly mailFeedbackRule: Rule;
  readonly requestLog: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { stage, data, bundles, publicBaseUrl, ...props }: WorkersStackProps,
  ) {
    super(scope, id, props);
    // As in the API's stack: CloudFormation must not delete data that these functions use.
    CrossStackReferences.of(this).consume(ReferenceStrength.STRONG);
    const workers = new WorkerFunctions(this, "Functions", { stage, data, bundles, publicBaseUrl });
    this.functions = workers.all;
    this.mailFeedbackRule = workers.mailFeedbackRule;
    this.requestLog = workers.requestLog;
    new OperatorRole(this, "Operator", data);
    if (stage.settings.RELEASE_SHIFT === "gradual") {
      new GradualRelease(this, "Release", { functions: this.functions, bundles, stage });
    }
  }
}
