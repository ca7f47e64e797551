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

/** One line for each request. The resource is the route's pattern, because paths and queries may carry one-time tokens. */
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

/** The REST API without routes: address, logs, limits, and API Gateway's own responses. */
export class ServiceApi extends Construct {
  readonly restApi: RestApi;
  /**
   * The API's default address, without a slash at the end.
   *
   * We build it from the API's id. `restApi.url` depends on the deployment, and that on every function behind it, so no function
   * could have it in its environment.
   */
  readonly url: string;

  constructor(scope: Construct, id: string, { stage, operations }: ServiceApiProps) {
    super(scope, id);
    const { settings } = stage;
    const accessLogs = new LogGroup(this, "AccessLogs", logLifetime(settings));
    this.restApi = new RestApi(this, "RestApi", {
      restApiName: `language-ai-${stage.name}`,
      // Edge-optimised endpoints cut a stream after 30 silent seconds, regional ones after five minutes.
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: settings.API_DOMAIN_NAME !== undefined,
      binaryMediaTypes: binaryMediaTypes(operations),
      // A new AWS account refuses an API with logs until its region has such a role.
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
    // API Gateway would create this group without an expiry.
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

/** Bodies of these types reach functions unchanged; API Gateway decodes any other as text. */
const binaryMediaTypes = (operations: readonly Operation[]): string[] =>
  operations.some(({ body }) => body?.encoding === "multipart") ? ["multipart/form-data"] : [];
