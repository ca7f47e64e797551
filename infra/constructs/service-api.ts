import { Stack } from "aws-cdk-lib";
import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SpecRestApi,
} from "aws-cdk-lib/aws-apigateway";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnSamplingRule } from "aws-cdk-lib/aws-xray";
import { Construct } from "constructs";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import type { Stage } from "../stages.ts";
import { acknowledge } from "./acknowledge.ts";
import { defineApi } from "./api-definition.ts";
import { logLifetime, retained } from "./lifetime.ts";
import type { ServiceFunction } from "./service-function.ts";

/** One line for each request. The resource is the route's pattern, because paths and queries may carry one-time tokens. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    sourceAddress: AccessLogField.contextIdentitySourceIp(),
    account: AccessLogField.contextAuthorizerPrincipalId(),
    host: AccessLogField.contextDomainName(),
    method: AccessLogField.contextHttpMethod(),
    resource: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    responseLength: AccessLogField.contextResponseLength(),
    latencyMilliseconds: AccessLogField.contextResponseLatency(),
    functionMilliseconds: AccessLogField.contextIntegrationLatency(),
    firstContentMilliseconds: "$context.integration.timeToFirstContent",
    gatewayError: AccessLogField.contextErrorResponseType(),
  }),
);

export interface ServiceApiProps {
  readonly stage: Stage;
  readonly functions: readonly ServiceFunction[];
  /**
   * Admits callers to operations of `auth: "user"`, except those whose functions verify tokens themselves. It must not depend on
   * the API, which refers to it.
   */
  readonly authorizer: ServiceFunction;
  /** The address that callers use, without a slash at the end. */
  readonly publicBaseUrl: string;
}

/**
 * The REST API: a single resource that contains all routes as an OpenAPI document, so that an operation adds none.
 *
 * The document names functions by variables of the stage. Some functions have the API's address in their environment, so a
 * document that referred to them would depend on itself.
 */
export class ServiceApi extends Construct {
  readonly restApi: SpecRestApi;
  readonly accessLog: LogGroup;
  /**
   * The API's default address, without a slash at the end.
   *
   * We build it from the API's id. `restApi.url` depends on the deployment, and that on every function behind it, so no function
   * could have it in its environment.
   */
  readonly url: string;

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const { stage, authorizer } = props;
    const routed = props.functions.filter(
      ({ definition: { operations, pages } }) => operations.length > 0 || pages !== undefined,
    );
    this.accessLog = new LogGroup(this, "AccessLogs", logLifetime(stage.settings));
    this.restApi = this.addRestApi(props, routed);
    const { restApiId, stack, deploymentStage } = this.restApi;
    // API Gateway would create this group without an expiry.
    const errorLogs = new LogGroup(this, "ErrorLogs", {
      logGroupName: `API-Gateway-Execution-Logs_${restApiId}/${stage.name}`,
      ...logLifetime(stage.settings),
    });
    deploymentStage.node.addDependency(errorLogs);
    this.limitTraces(stage);

    this.url = `https://${restApiId}.execute-api.${stack.region}.${stack.urlSuffix}/${stage.name}`;
    for (const each of routed) this.permit(each, this.restApi.arnForExecuteApi());
    this.permit(
      authorizer,
      stack.formatArn({ service: "execute-api", resource: restApiId, resourceName: "authorizers/*" }),
    );
    this.acknowledgeFindings();
  }

  private addRestApi(props: ServiceApiProps, routed: readonly ServiceFunction[]): SpecRestApi {
    const { stage, publicBaseUrl } = props;
    const { settings } = stage;
    const targets = routed.map(({ definition, live }) => [variableOf(definition), live.functionName]);
    return new SpecRestApi(this, "RestApi", {
      restApiName: `language-ai-${stage.name}`,
      apiDefinition: ApiDefinition.fromInline(this.define(props, routed)),
      // The document replaces the one before, so that a route that it no longer has is gone.
      mode: RestApiMode.OVERWRITE,
      // Edge-optimised endpoints cut a stream after 30 silent seconds, regional ones after five minutes.
      endpointTypes: [EndpointType.REGIONAL],
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      disableExecuteApiEndpoint: settings.API_DEFAULT_ADDRESS === "off",
      // A new AWS account refuses an API with logs until its region has such a role.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: retained,
      deployOptions: {
        stageName: stage.name,
        variables: { publicBaseUrl, ...Object.fromEntries(targets) },
        throttlingRateLimit: settings.THROTTLING_REQUESTS_PER_SECOND,
        throttlingBurstLimit: settings.THROTTLING_BURST,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
        loggingLevel: MethodLoggingLevel.ERROR,
        tracingEnabled: true,
      },
    });
  }

  /** Without a rule X-Ray records the first request of each second as well, which are most of them in a small stage. */
  private limitTraces({ prefix, name }: Stage): void {
    new CfnSamplingRule(this, "Sampling", {
      samplingRule: {
        ruleName: prefix,
        version: 1,
        priority: 1_000,
        serviceName: `${this.restApi.restApiName}/${name}`,
        serviceType: "AWS::ApiGateway::Stage",
        resourceArn: "*",
        host: "*",
        httpMethod: "*",
        urlPath: "*",
        reservoirSize: 0,
        fixedRate: 0.05,
      },
    });
  }

  private define({ stage, authorizer }: ServiceApiProps, routed: readonly ServiceFunction[]) {
    const { partition, region, account } = Stack.of(this);
    const invocations = (functionArn: string, isStream = false): string =>
      `arn:${partition}:apigateway:${region}:lambda:path/` +
      (isStream
        ? `2021-11-15/functions/${functionArn}/response-streaming-invocations`
        : `2015-03-31/functions/${functionArn}/invocations`);
    const functionsArn = `arn:${partition}:lambda:${region}:${account}:function`;
    return defineApi({
      name: `language-ai-${stage.name}`,
      functions: routed.map(({ definition }) => definition),
      uriOf: (definition) =>
        invocations(
          `${functionsArn}:\${stageVariables.${variableOf(definition)}}`,
          definition.transfer === "stream",
        ),
      authorizer: {
        uri: invocations(authorizer.live.functionArn),
        cacheSeconds: stage.settings.AUTHORIZER_CACHE_SECONDS,
      },
      publicBaseUrl: "$stageVariables.publicBaseUrl",
      disableExecuteApiEndpoint: stage.settings.API_DEFAULT_ADDRESS === "off",
    });
  }

  /** Allows the API to call a function, before the stage sends it requests. */
  private permit({ live }: ServiceFunction, sourceArn: string): void {
    live.addPermission("RestApi", {
      principal: new ServicePrincipal("apigateway.amazonaws.com"),
      sourceArn,
    });
    this.restApi.deploymentStage.node.addDependency(live);
  }

  private acknowledgeFindings(): void {
    acknowledge(
      this,
      "AwsSolutions-APIG2",
      "The functions validate every request against its schema and respond with 422; API Gateway could only send 400.",
    );
    acknowledge(
      this,
      "AwsSolutions-APIG3",
      "Each stage decides whether it has a firewall; the service itself limits accounts and addresses.",
    );
    acknowledge(
      this,
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      "API Gateway writes the logs of all APIs of an account in one role; AWS maintains the policy for it.",
    );
  }
}

/** The variable of the stage that names a function; its name may only have letters, digits and underscores. */
const variableOf = ({ name }: FunctionDefinition): string => name.replaceAll("-", "_");
