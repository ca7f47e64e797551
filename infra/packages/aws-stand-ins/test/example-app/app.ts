import { App, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { ApiDefinition, SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import { Code, FunctionUrlAuthType, InvokeMode, Function as Lambda, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";

/**
 * A notebook: `POST /notes` puts a note on a queue, a worker writes it into a table, `GET /notes?id=…` reads it, and a
 * function URL streams a greeting.
 *
 * @param bundles a folder for each function, with its `index.mjs`
 * @param outdir where the cloud assembly is written
 */
export const synthesizeNotebook = (bundles: string, outdir: string): string => {
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, "Notebook");
  const table = new Table(stack, "Notes", {
    partitionKey: { name: "id", type: AttributeType.STRING },
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const queue = new Queue(stack, "NewNotes", { visibilityTimeout: Duration.seconds(30) });
  const addFunction = (name: string) =>
    new Lambda(stack, name, {
      runtime: Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: Code.fromAsset(`${bundles}/${name}`),
      environment: { TABLE_NAME: table.tableName, QUEUE_URL: queue.queueUrl },
    });

  const notes = addFunction("notes");
  table.grantReadData(notes);
  queue.grantSendMessages(notes);
  const method = {
    responses: {},
    "x-amazon-apigateway-integration": {
      type: "aws_proxy",
      httpMethod: "POST",
      uri: `arn:aws:apigateway:${stack.region}:lambda:path/2015-03-31/functions/${notes.functionArn}/invocations`,
    },
  };
  new SpecRestApi(stack, "Api", {
    apiDefinition: ApiDefinition.fromInline({
      openapi: "3.0.1",
      info: { title: "Notebook", version: "1" },
      paths: { "/notes": { get: method, post: method } },
    }),
  });

  const worker = addFunction("worker");
  table.grantWriteData(worker);
  worker.addEventSource(new SqsEventSource(queue, { batchSize: 5, reportBatchItemFailures: true }));

  const greeting = addFunction("greeting");
  greeting.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.RESPONSE_STREAM });
  return app.synth().directory;
};
