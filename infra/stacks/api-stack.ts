import {
  CfnOutput,
  CrossStackReferences,
  Lazy,
  ReferenceStrength,
  Stack,
  type StackProps,
} from "aws-cdk-lib";
import type { SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { GradualRelease } from "../constructs/gradual-release.ts";
import {
  ApiDomain,
  apiDomainOf,
  publicBaseUrlOf,
  StreamDomain,
  streamDomainOf,
} from "../constructs/public-domains.ts";
import { ServiceApi } from "../constructs/service-api.ts";
import { WebFirewall } from "../constructs/web-firewall.ts";
import type { StageSettings } from "../stage-settings.ts";
import type { Stage } from "../stages.ts";
import type { DataStack } from "./data-stack.ts";
import { pascalCase } from "./function-group.ts";
import { ServiceFunctions } from "./service-functions.ts";

export interface ApiStackProps extends StackProps {
  readonly stage: Stage;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
}

/** The API with its routes and the functions behind them. */
export class ApiStack extends Stack {
  readonly restApi: SpecRestApi;
  readonly accessLog: LogGroup;
  readonly functions: ServiceFunctions;
  /** The address that callers use, without a slash at the end. */
  readonly publicBaseUrl: string;

  constructor(scope: Construct, id: string, { stage, data, bundles, ...props }: ApiStackProps) {
    // Deleted and created again, the API would have another address.
    const terminationProtection = stage.settings.REMOVAL === "retain";
    // The API's definition is in the template, whose size is limited.
    super(scope, id, { ...props, terminationProtection, suppressTemplateIndentation: true });
    // CloudFormation then refuses to delete or replace data that a running API uses, instead of breaking the API.
    CrossStackReferences.of(this).consume(ReferenceStrength.STRONG);

    // The functions and the API refer to each other.
    const publicBaseUrl = publicBaseUrlOf(stage.settings) ?? Lazy.string({ produce: (): string => api.url });
    this.functions = new ServiceFunctions(this, "Functions", { stage, data, bundles, publicBaseUrl });
    const { all: functions, authorizer } = this.functions;
    const api = new ServiceApi(this, "Api", { stage, functions, authorizer, publicBaseUrl });
    this.restApi = api.restApi;
    this.accessLog = api.accessLog;
    this.publicBaseUrl = publicBaseUrl;
    if (stage.settings.RELEASE_SHIFT === "gradual") {
      // The API refers to the authorizer, the console to the URL of chat, and others to the API. A check depends on the functions
      // that it checks, and they on it, so these two have their own.
      const referred = functions.filter((each) => each === authorizer || each.functionUrl);
      const others = functions.filter((each) => !referred.includes(each));
      new GradualRelease(this, "EntryRelease", { functions: referred, bundles, stage });
      new GradualRelease(this, "Release", { functions: others, bundles, stage });
    }
    this.addAddresses(stage.settings);
  }

  /** The stage's own domains, the firewall, and the outputs with the addresses. */
  private addAddresses(settings: StageSettings): void {
    const { restApi } = this;
    for (const { definition, functionUrl } of this.functions.all) {
      if (!functionUrl) continue;
      const domain = streamDomainOf(settings);
      const { originSecret } = this.functions;
      const webAclArn = settings.STREAM_FIREWALL_ARN;
      const streams =
        domain && originSecret
          ? new StreamDomain(this, "StreamDomain", { functionUrl, domain, webAclArn, originSecret })
          : undefined;
      new CfnOutput(this, `${pascalCase(definition.name)}StreamUrl`, {
        value: streams?.address ?? functionUrl.url,
        description: `Streams of the function "${definition.name}"; its paths follow.`,
      });
    }
    const domain = apiDomainOf(settings);
    if (domain) new ApiDomain(this, "ApiDomain", { restApi, domain, basePath: settings.API_BASE_PATH });
    if (settings.FIREWALL === "on") {
      new WebFirewall(this, "Firewall", { scope: "REGIONAL", settings }).protect(restApi);
    }
    new CfnOutput(this, "ApiUrl", {
      value: this.publicBaseUrl,
      description: "The address of the API; paths follow it.",
    });
  }
}
