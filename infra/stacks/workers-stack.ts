import { CrossStackReferences, ReferenceStrength, Stack, type StackProps } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { functionReleaseConditions } from "../constructs/alarm-conditions.ts";
import { Alarms } from "../constructs/alarms.ts";
import { GradualRelease } from "../constructs/gradual-release.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { FunctionGroupProps } from "./function-group.ts";
import { WorkerFunctions } from "./worker-functions.ts";

export interface WorkersStackProps extends StackProps, FunctionGroupProps {}

/**
 * What works without being waited for: the functions of queues, schedules and events. Apart from the API, because CloudFormation
 * takes 500 resources in a stack, and most of those are routes.
 */
export class WorkersStack extends Stack {
  readonly functions: readonly ServiceFunction[];
  /** The alarms that releases look at. */
  readonly releaseAlarms: readonly Alarm[];

  constructor(
    scope: Construct,
    id: string,
    { stage, data, bundles, publicBaseUrl, ...props }: WorkersStackProps,
  ) {
    super(scope, id, props);
    // As in the API's stack: what these functions use is not deleted under them.
    CrossStackReferences.of(this).consume(ReferenceStrength.STRONG);
    this.functions = new WorkerFunctions(this, "Functions", { stage, data, bundles, publicBaseUrl }).all;
    const releaseAlarms = new Alarms(this, "Alarms", functionReleaseConditions(this.functions));
    if (stage.settings.RELEASE_SHIFT === "gradual") {
      new GradualRelease(this, "Release", {
        functions: this.functions,
        alarmsOf: (each) => releaseAlarms.againstRelease(each),
      });
    }
    data.alarmTopic?.listenTo(releaseAlarms.all);
    this.releaseAlarms = releaseAlarms.all;
  }
}
