import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Duration, Stack } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigateway";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import * as s3 from "aws-cdk-lib/aws-s3";
import * as secretsmanager from "aws-cdk-lib/aws-secretsmanager";
import * as sqs from "aws-cdk-lib/aws-sqs";

const env = { account: "000000000000", region: "us-east-1" };

/** The stateful part: a table, a bucket, a secret, and an encrypted queue with a dead-letter queue. */
class StatefulStack extends Stack {
  readonly table = new dynamodb.TableV2(this, "Table", {
    partitionKey: { name: "pk", type: dynamodb.AttributeType.STRING },
  });
  readonly audio = new s3.Bucket(this, "Audio");
  readonly secret = new secretsmanager.Secret(this, "TokenSecret", {
    generateSecretString: { passwordLength: 64 },
  });
  readonly failedDeliveries = new sqs.Queue(this, "FailedDeliveries", { fifo: true });
  readonly deliveries = new sqs.Queue(this, "Deliveries", {
    fifo: true,
    encryption: sqs.QueueEncryption.KMS,
    deadLetterQueue: { queue: this.failedDeliveries, maxReceiveCount: 3 },
  });
}

/** The serving part: functions behind a REST API, a function URL and the queue. */
class StatelessStack extends Stack {
  readonly api = new apigateway.RestApi(this, "Api", {
    endpointTypes: [apigateway.EndpointType.REGIONAL],
    binaryMediaTypes: ["multipart/form-data", "audio/*"],
    deployOptions: { stageName: "v2", variables: { colour: "blue" } },
    defaultCorsPreflightOptions: {
      allowOrigins: ["*"],
      allowHeaders: ["Authorization"],
      maxAge: Duration.hours(1),
    },
  });
  readonly #codeDirectory: string;
  readonly #environment: Record<string, string>;

  constructor(app: App, codeDirectory: string, data: StatefulStack) {
    super(app, "Stateless", { env });
    this.#codeDirectory = codeDirectory;
    this.#environment = {
      TABLE_NAME: data.table.tableName,
      AUDIO_BUCKET: data.audio.bucketName,
      TOKEN_SECRET_ID: data.secret.secretArn,
      QUEUE_URL: data.deliveries.queueUrl,
    };
    this.#routes();
    this.#gatewayResponses();
    this.#function("worker").addEventSource(
      new SqsEventSource(data.deliveries, { batchSize: 5, reportBatchItemFailures: true }),
    );
  }

  #function(name: string): lambda.Function {
    const fileName = name.replace(/^./, (letter) => letter.toUpperCase());
    return new lambda.Function(this, fileName, {
      functionName: name,
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: lambda.Code.fromAsset(this.#codeDirectory),
      timeout: Duration.seconds(20),
      memorySize: 256,
      environment: this.#environment,
    });
  }

  #routes(): void {
    const echo = this.#function("echo");
    const chat = this.#function("chat");
    const authorizer = this.#authorizer("authorizer", Duration.seconds(0));
    const remembered = this.#authorizer("remembered", Duration.minutes(5));
    const route = (
      method: string,
      path: string,
      integration: apigateway.Integration,
      auth?: apigateway.IAuthorizer,
    ) =>
      this.api.root
        .resourceForPath(path)
        .addMethod(method, integration, auth === undefined ? {} : { authorizer: auth });
    const buffered = new apigateway.LambdaIntegration(echo);
    const streamed = (timeout: Duration) =>
      new apigateway.LambdaIntegration(chat, {
        timeout,
        responseTransferMode: apigateway.ResponseTransferMode.STREAM,
      });

    route("GET", "/health", buffered);
    route("ANY", "/health", refusedMethod("GET,OPTIONS"));
    route("GET", "/items/{id}", buffered, authorizer);
    route("GET", "/items/latest", buffered);
    route("ANY", "/files/{proxy+}", buffered);
    route("POST", "/upload", buffered);
    route("GET", "/remembered/one", buffered, remembered);
    route("GET", "/remembered/two", buffered, remembered);
    route("POST", "/impatient", new apigateway.LambdaIntegration(echo, { timeout: Duration.millis(60) }));
    route("POST", "/chat", streamed(Duration.minutes(5)));
    route("POST", "/chat/impatient", streamed(Duration.millis(60)));
    chat.addFunctionUrl({
      authType: lambda.FunctionUrlAuthType.NONE,
      invokeMode: lambda.InvokeMode.RESPONSE_STREAM,
      cors: { allowedOrigins: ["https://app.example"], maxAge: Duration.minutes(1) },
    });
  }

  #authorizer(name: string, resultsCacheTtl: Duration): apigateway.RequestAuthorizer {
    return new apigateway.RequestAuthorizer(this, `Authorizer-${name}`, {
      handler: this.#function(name),
      identitySources: [apigateway.IdentitySource.header("Authorization")],
      resultsCacheTtl,
    });
  }

  #gatewayResponses(): void {
    const add = (
      type: apigateway.ResponseType,
      statusCode: string | undefined,
      template: object,
      headers = {},
    ) =>
      this.api.addGatewayResponse(type.responseType, {
        type,
        ...(statusCode !== undefined && { statusCode }),
        responseHeaders: { "X-Request-Id": "context.requestId", ...headers },
        templates: { "application/json": JSON.stringify(template) },
      });
    add(
      apigateway.ResponseType.UNAUTHORIZED,
      "401",
      { detail: "Not authenticated", request_id: "$context.requestId" },
      { "WWW-Authenticate": "'Bearer'" },
    );
    add(apigateway.ResponseType.ACCESS_DENIED, "403", { detail: "$context.authorizer.reason" });
    add(apigateway.ResponseType.MISSING_AUTHENTICATION_TOKEN, "404", { detail: "Not Found" });
    add(apigateway.ResponseType.DEFAULT_4XX, undefined, { detail: "$context.error.message" });
  }
}

const chosenStatus = '{ #if($context.httpMethod == "PATCH") "statusCode": 204 #else "statusCode": 405 #end }';

/** What the stacks say of a known path with an unknown method; to one method it says something else. */
const refusedMethod = (allow: string): apigateway.Integration =>
  new apigateway.MockIntegration({
    passthroughBehavior: apigateway.PassthroughBehavior.NEVER,
    contentHandling: apigateway.ContentHandling.CONVERT_TO_TEXT,
    requestTemplates: {
      "application/json": chosenStatus,
      "multipart/form-data": chosenStatus,
    },
    integrationResponses: [
      {
        statusCode: "204",
        selectionPattern: "204",
        responseParameters: { "method.response.header.Accept-Patch": "'application/json'" },
      },
      {
        statusCode: "405",
        responseParameters: {
          "method.response.header.Allow": `'${allow}'`,
          "method.response.header.X-Request-Id": "context.requestId",
        },
        responseTemplates: {
          "application/json": '{"detail":"Method Not Allowed","request_id":"$context.requestId"}',
        },
      },
    ],
  });

export interface SynthesisedApplication {
  /** The cloud assembly. */
  readonly directory: string;
  readonly codeDirectory: string;
  remove(): void;
}

/**
 * Synthesises a small application that has one of everything the gateway serves.
 *
 * @param options.code the module that every function runs, `index.mjs`; most tests run none.
 * @param options.context feature flags of the CDK.
 */
export const synthesiseApplication = ({
  code = "",
  context = {},
}: {
  code?: string;
  context?: Record<string, unknown>;
} = {}): SynthesisedApplication => {
  // The library's own check of the template takes longer than all of a test file.
  process.env["CDK_VALIDATION"] = "false";
  const directory = mkdtempSync(join(tmpdir(), "gateway-application-"));
  const codeDirectory = join(directory, "code");
  mkdirSync(codeDirectory);
  writeFileSync(join(codeDirectory, "index.mjs"), code);
  const app = new App({
    outdir: join(directory, "assembly"),
    analyticsReporting: false,
    context: { "aws:cdk:disable-asset-staging": true, ...context },
  });
  new StatelessStack(app, codeDirectory, new StatefulStack(app, "Stateful", { env }));
  return {
    directory: app.synth().directory,
    codeDirectory,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
};
