import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  RemovalPolicy,
  Stack,
  type StackProps,
} from "aws-cdk-lib";
import { IdentitySource, RequestAuthorizer, type RestApi } from "aws-cdk-lib/aws-apigateway";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { operations } from "../../functions/manifest.ts";
import { apiReleaseConditions, functionReleaseConditions } from "../constructs/alarm-conditions.ts";
import { Alarms } from "../constructs/alarms.ts";
import { GradualRelease } from "../constructs/gradual-release.ts";
import { addOperationRoutes } from "../constructs/operation-routes.ts";
import { ApiDomain, StreamDomain } from "../constructs/public-domains.ts";
import { ServiceApi } from "../constructs/service-api.ts";
import { WebFirewall } from "../constructs/web-firewall.ts";
import type { StageSettings } from "../stages.ts";
import type { DataStack } from "./data-stack.ts";
import { pascalCase } from "./function-group.ts";
import { ServiceFunctions } from "./service-functions.ts";

export interface ApiStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
}

/** The API with its routes and the functions behind them, of which a release makes new versions. */
export class ApiStack extends Stack {
  readonly restApi: RestApi;
  readonly functions: ServiceFunctions;
  /** The alarms that releases look at. */
  readonly releaseAlarms: readonly Alarm[];
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;

  constructor(scope: Construct, id: string, { stage, data, bundles, ...props }: ApiStackProps) {
    // Deleted and made again, the API would have another address.
    super(scope, id, { ...props, terminationProtection: stage.removal === "retain" });
    // CloudFormation then refuses to delete or replace data that a running API uses, instead of breaking the API.
    CrossStackReferences.of(this).consume(ReferenceStrength.STRONG);

    const { restApi, url } = new ServiceApi(this, "Api", {
      name: `language-ai-${stage.name}`,
      stageName: stage.name,
      operations,
      hasOwnDomain: stage.apiDomain !== undefined,
      throttling: stage.throttling,
      logRetention: stage.logRetention,
      logRemoval: stage.removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const publicBaseUrl =
      stage.publicBaseUrl ?? (stage.apiDomain ? `https://${stage.apiDomain.name}${stage.apiBasePath}` : url);
    const functions = new ServiceFunctions(this, "Functions", {
      stage,
      data,
      bundles,
      publicBaseUrl,
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

    const releaseAlarms = new Alarms(this, "Alarms", {
      ...apiReleaseConditions(restApi),
      ...functionReleaseConditions(functions.all.filter((each) => each !== functions.authorizer)),
    });
    if (stage.releaseShift === "gradual") {
      new GradualRelease(this, "Release", {
        functions: functions.all,
        alarmsOf: (each) => releaseAlarms.againstRelease(each),
      });
    }
    data.alarmTopic?.listenTo(releaseAlarms.all);
    this.restApi = restApi;
    this.functions = functions;
    this.releaseAlarms = releaseAlarms.all;
    this.publicBaseUrl = publicBaseUrl;

    for (const { definition, functionUrl } of functions.all) {
      if (!functionUrl) continue;
      if (stage.streamDomain) {
        new StreamDomain(this, "StreamDomain", {
          functionUrl,
          domain: stage.streamDomain,
          webAclArn: stage.firewall.streamArn,
        });
      }
      const name = `${pascalCase(definition.name)}StreamUrl`;
      new CfnOutput(this, name, {
        value: functionUrl.url,
        description: `Where the function "${definition.name}" answers by itself; its paths follow.`,
      });
    }
    if (stage.apiDomain) {
      new ApiDomain(this, "ApiDomain", { restApi, domain: stage.apiDomain, basePath: stage.apiBasePath });
    }
    if (stage.firewall.isOn) {
      const { requestsPerFiveMinutes } = stage.firewall;
      new WebFirewall(this, "Firewall", { scope: "REGIONAL", requestsPerFiveMinutes }).protect(restApi);
    }
    new CfnOutput(this, "ApiUrl", {
      value: publicBaseUrl,
      description: "Where the API answers; paths follow it.",
    });
  }
}
