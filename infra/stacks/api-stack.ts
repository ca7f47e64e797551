import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  RemovalPolicy,
  Stack,
  type StackProps,
} from "aws-cdk-lib";
import { IdentitySource, RequestAuthorizer } from "aws-cdk-lib/aws-apigateway";
import type { Construct } from "constructs";
import { operations } from "../../functions/manifest.ts";
import { AlarmMail, Alarms } from "../constructs/alarms.ts";
import { GradualRelease } from "../constructs/gradual-release.ts";
import { addOperationRoutes } from "../constructs/operation-routes.ts";
import { ServiceApi } from "../constructs/service-api.ts";
import { ServiceDashboard } from "../constructs/service-dashboard.ts";
import type { StageSettings } from "../stages.ts";
import type { DataStack } from "./data-stack.ts";
import { pascalCase, ServiceFunctions } from "./service-functions.ts";

export interface ApiStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
}

/** Everything that a release replaces: the API with its routes, the functions behind it, and what watches them. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, bundles, ...props }: ApiStackProps) {
    super(scope, id, props);
    // CloudFormation then refuses to delete or replace data that a running API uses, instead of breaking the API.
    CrossStackReferences.of(this).consume(ReferenceStrength.STRONG);

    const { restApi, url } = new ServiceApi(this, "Api", {
      name: `language-ai-${stage.name}`,
      stageName: stage.name,
      operations,
      throttling: stage.throttling,
      logRetention: stage.logRetention,
      logRemoval: stage.removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const functions = new ServiceFunctions(this, "Functions", {
      stage,
      data,
      bundles,
      publicBaseUrl: stage.publicBaseUrl ?? url,
    });
    addOperationRoutes({
      api: restApi,
      functions: functions.all,
      authorizer: new RequestAuthorizer(this, "TokenAuthorizer", {
        handler: functions.authorizer.live,
        identitySources: [IdentitySource.header("Authorization")],
        resultsCacheTtl: Duration.seconds(stage.authorizerCacheSeconds),
      }),
    });

    const monitored = {
      api: restApi,
      functions: functions.all,
      authorizer: functions.authorizer,
      mail: data.mail,
      messages: data.messages,
    };
    const { all: alarms, againstRelease, eventCounts } = new Alarms(this, "Alarms", monitored);
    if (stage.releaseShift === "gradual") {
      new GradualRelease(this, "Release", { functions: functions.all, alarmsOf: againstRelease });
    }
    new ServiceDashboard(this, "Overview", { ...monitored, alarms, eventCounts });
    if (stage.alarmEmail) new AlarmMail(this, "AlarmMail", { address: stage.alarmEmail, alarms });

    for (const { definition, functionUrl } of functions.all) {
      if (!functionUrl) continue;
      const name = `${pascalCase(definition.name)}StreamUrl`;
      new CfnOutput(this, name, {
        value: functionUrl.url,
        description: `Where the function "${definition.name}" answers by itself; its paths follow.`,
      });
    }
    new CfnOutput(this, "ApiUrl", { value: url, description: "Where the API answers; paths follow it." });
  }
}
