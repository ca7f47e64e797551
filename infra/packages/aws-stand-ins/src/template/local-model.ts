import type { Role } from "../iam/authority.ts";

/** A role of a template, which functions and operators have. */
export interface LocalRole extends Role {
  readonly logicalId: string;
  readonly arn: string;
}

/** A Lambda function: what has to be started, and under which name it is invoked. */
export interface LocalFunction {
  /** `FunctionName` if the template has one; the name for `invoke`. */
  readonly name: string;
  readonly arn: string;
  readonly assetDirectory: string;
  /** `<file without extension>.<export>`, inside the asset directory. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  /** As which it calls other services. */
  readonly role: Role;
  /** The name of the group that its output goes to; `undefined` when the template names none. */
  readonly logGroup: string | undefined;
}

/** A table, bucket, queue or secret: something an embedded service has to hold. */
export interface LocalResource {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** The CloudFormation type, such as `AWS::SQS::Queue`. */
  readonly type: string;
  /** As in the template, references resolved; what has no local meaning (a KMS key, say) is left out. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface Authorizer {
  readonly functionName: string;
  /** All of them must be present in a request; together they are the key of the cache. */
  readonly identityHeaders: readonly string[];
  /** How long a decision is cached; 0 means never. */
  readonly cacheSeconds: number;
}

export interface LambdaIntegration {
  readonly type: "lambda";
  readonly functionName: string;
  readonly timeoutMilliseconds: number;
  readonly transferMode: "buffered" | "stream";
}

export interface MockResponse {
  readonly statusCode: number;
  /** Which statuses of the request template choose this response; the default response has none. */
  readonly selectionPattern: string | undefined;
  /** Expressions by header name: `'a quoted static'` or `context.<variable>`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Templates by content type. */
  readonly templates: Readonly<Record<string, string>>;
}

export interface MockIntegration {
  readonly type: "mock";
  /** Templates by content type. */
  readonly requestTemplates: Readonly<Record<string, string>>;
  readonly responses: readonly MockResponse[];
}

export interface Route {
  /** Method and path. */
  readonly logicalId: string;
  /** An HTTP method, or `ANY`. */
  readonly method: string;
  /** As in the template: `/users/{id}`, `/files/{proxy+}`. */
  readonly path: string;
  readonly authorizer: Authorizer | undefined;
  readonly integration: LambdaIntegration | MockIntegration;
}

/** How the gateway words one kind of refusal. */
export interface GatewayResponse {
  /** `UNAUTHORIZED`, `DEFAULT_4XX` … */
  readonly responseType: string;
  /** The kind's own status when undefined. */
  readonly statusCode: number | undefined;
  /** Expressions by header name, see {@link MockResponse}. */
  readonly headers: Readonly<Record<string, string>>;
  readonly templates: Readonly<Record<string, string>>;
}

export interface RestApi {
  readonly id: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly binaryMediaTypes: readonly string[];
  readonly routes: readonly Route[];
  readonly gatewayResponses: readonly GatewayResponse[];
}

/** A function that has a URL of its own, at which it streams its responses. */
export interface FunctionUrl {
  readonly functionName: string;
}

/** A queue whose messages are given to a function. */
export interface EventSource {
  readonly queueName: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** How many batches may be in progress at a time; `undefined` for as many as there are pollers. */
  readonly maxConcurrency: number | undefined;
  /** Whether the function returns the messages that failed; otherwise a batch succeeds or fails as one. */
  readonly reportBatchItemFailures: boolean;
}

/** A function that gets the lines of a log group that match a pattern. */
export interface LogSubscription {
  readonly logicalId: string;
  readonly logGroup: string;
  readonly functionName: string;
  readonly matches: (line: string) => boolean;
}

/** A synthesised application as it is served on one machine. */
export interface LocalModel {
  readonly functions: readonly LocalFunction[];
  readonly roles: readonly LocalRole[];
  readonly restApi: RestApi;
  readonly functionUrls: readonly FunctionUrl[];
  readonly eventSources: readonly EventSource[];
  readonly logSubscriptions: readonly LogSubscription[];
  readonly tables: readonly LocalResource[];
  readonly buckets: readonly LocalResource[];
  readonly queues: readonly LocalResource[];
  readonly secrets: readonly LocalResource[];
}
