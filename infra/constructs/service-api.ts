import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Operation } from "../../shared/http/operation.ts";
import type { Stage } from "../stages.ts";
import { acknowledge } from "./acknowledge.ts";
import { GatewayResponses } from "./gateway-responses.ts";
import { logLifetime } from "./lifetime.ts";

/** One line a request. The resource is the route's pattern: paths and queries may carry one-time tokens. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    sourceAddress: AccessLogField.contextIdentitySourceIp(),
    account: AccessLogField.contextAuthorizerPrincipalId(),
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
  readonly operations: readonly Operation[];
}

/** The REST API: address, logs, limits and the responses that API Gateway gives itself; no routes yet. */
export class ServiceApi extends Construct {
  readonly restApi: RestApi;
  /**
   * The API's default address, without a slash at the end.
   *
   * Made from the API's id alone: `restApi.url` depends on the deployment, which depends on every function behind it, so
   * that no function could be told.
   */
  readonly url: string;

  constructor(scope: Construct, id: string, { stage, operations }: ServiceApiProps) {
    super(scope, id);
    const { settings } = stage;
    const accessLogs = new LogGroup(this, "AccessLogs", logLifetime(settings));
    this.restApi = new RestApi(this, "RestApi", {
      restApiName: `language-ai-${stage.name}`,
      // Edge-optimised endpoints cut a stream after 30 silent seconds; regional ones wait five minutes.
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: settings.API_DOMAIN_NAME !== undefined,
      binaryMediaTypes: binaryMediaTypes(operations),
      // A fresh AWS account refuses an API with logs until such a role is set for the account's region.
      cloudWatchRole: true,
      deployOptions: {
        stageName: stage.name,
        throttlingRateLimit: settings.THROTTLING_REQUESTS_PER_SECOND,
        throttlingBurstLimit: settings.THROTTLING_BURST,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat,
        loggingLevel: MethodLoggingLevel.ERROR,
        tracingEnabled: true,
      },
    });
    const { restApiId, stack, deploymentStage } = this.restApi;
    // API Gateway would create this group itself, and keep what is in it for ever.
    const errorLogs = new LogGroup(this, "ErrorLogs", {
      logGroupName: `API-Gateway-Execution-Logs_${restApiId}/${stage.name}`,
      ...logLifetime(settings),
    });
    deploymentStage.node.addDependency(errorLogs);

    this.url = `https://${restApiId}.execute-api.${stack.region}.${stack.urlSuffix}/${stage.name}`;
    new GatewayResponses(this, "GatewayResponses", this.restApi);
    this.acknowledgeFindings();
  }

  private acknowledgeFindings(): void {
    acknowledge(
      this,
      "AwsSolutions-APIG2",
      "The functions validate every request against its schema and answer 422; API Gateway could only answer 400.",
    );
    acknowledge(
      this,
      "AwsSolutions-APIG3",
      "A stage decides whether a firewall stands in front; accounts and addresses are limited by the service itself.",
    );
    acknowledge(
      this,
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      "API Gateway writes the logs of all APIs of an account in one role; AWS maintains the policy for it.",
    );
  }
}

/** Bodies of these types reach functions as they are; any other is decoded as text. */
const binaryMediaTypes = (operations: readonly Operation[]): string[] =>
  operations.some(({ body }) => body?.encoding === "multipart") ? ["multipart/form-data"] : [];
