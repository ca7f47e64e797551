import { join } from "node:path";
import { Duration } from "aws-cdk-lib";
import { type Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  type Alias,
  Architecture,
  Code,
  type FunctionUrl,
  FunctionUrlAuthType,
  type IFunction,
  InvokeMode,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import type { VariableShape } from "../../shared/platform/config/variables.ts";
import type { StageSettings } from "../stage-settings.ts";
import { acknowledge } from "./acknowledge.ts";
import type { Binding } from "./bindings.ts";
import { InlineRole } from "./inline-role.ts";
import { type LogSettings, logLifetime, retained } from "./lifetime.ts";

export interface ServiceFunctionProps<Environment extends VariableShape> {
  readonly definition: FunctionDefinition<Environment>;
  /** Must bind each variable of the definition's environment, and no other. */
  readonly environment: Readonly<Record<string, Binding>>;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
  /** By default CloudFormation chooses the name. */
  readonly functionName?: string;
  readonly stage: {
    /** The namespace of its metrics, the same for all functions of a stage. */
    readonly prefix: string;
    readonly settings: LogSettings & Pick<StageSettings, "CHAT_URL" | "RESERVED_CONCURRENCY">;
  };
}

/** A Lambda function as its feature declares it, with its own role, log and permissions. */
export class ServiceFunction<Environment extends VariableShape = VariableShape> extends Construct {
  readonly definition: FunctionDefinition<Environment>;
  readonly lambda: LambdaFunction;
  /** The version that callers reach: the newest, or two of them during a release, so API and functions change together. */
  readonly live: IFunction;
  /** The same as `live`, for what moves it from one version to the next. */
  readonly alias: Alias;
  /** The function's own URL, if its definition and the stage have one. */
  readonly functionUrl: FunctionUrl | undefined;

  /** @throws Error when the environment lacks a declared variable or has an undeclared one. */
  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Environment>) {
    super(scope, id);
    this.definition = props.definition;
    checkVariables(props.definition, Object.keys(props.environment));
    this.lambda = this.addLambda(props);
    this.alias = this.lambda.addAlias("live");
    // CDK's classes and interfaces differ under `exactOptionalPropertyTypes`, which CDK itself is not compiled with.
    this.live = this.alias as IFunction;
    for (const { grant } of Object.values(props.environment)) grant?.(this.lambda);
    // Without AWS's authentication, because callers have our tokens; the function checks them.
    const hasUrl = props.definition.functionUrl && props.stage.settings.CHAT_URL === "on";
    this.functionUrl = hasUrl
      ? this.live.addFunctionUrl({
          authType: FunctionUrlAuthType.NONE,
          invokeMode: InvokeMode.RESPONSE_STREAM,
        })
      : undefined;
    if (props.definition.isTraced === false) {
      acknowledge(
        this.lambda,
        "Serverless-LambdaTracing",
        "Its traces would cost more than the function, and lead to no request.",
      );
    }
    acknowledge(
      this.lambda,
      "Serverless-LambdaDLQ",
      "API Gateway waits for the response, queues have dead-letter queues, and SES reports an address again with the next mail to it.",
    );
  }

  private addLambda(props: ServiceFunctionProps<Environment>): LambdaFunction {
    const { environment, bundles, stage, functionName } = props;
    const { name, description, memoryMegabytes, timeoutSeconds, isTraced = true } = this.definition;
    const logGroup = new LogGroup(this, "Logs", logLifetime(stage.settings));
    const reservedConcurrency = stage.settings.RESERVED_CONCURRENCY[name];
    return new LambdaFunction(this, "Function", {
      ...(functionName === undefined ? {} : { functionName }),
      description,
      code: Code.fromAsset(join(bundles, name)),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMegabytes,
      timeout: Duration.seconds(timeoutSeconds),
      environment: {
        METRICS_NAMESPACE: stage.prefix,
        ...Object.fromEntries(Object.entries(environment).map(([variable, { value }]) => [variable, value])),
      },
      role: this.createRole(logGroup),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      // Previous versions stay, so a release can be rolled back.
      currentVersionOptions: { removalPolicy: retained },
    });
  }

  private createRole(logGroup: LogGroup): Role {
    // AWS's managed policy for functions would allow writing to every log group of the account.
    const role = new InlineRole(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    const reason = "X-Ray's permissions to send traces cannot be limited to a resource.";
    acknowledge(role, "AwsSolutions-IAM5[Resource::*]", reason);
    acknowledge(role, "Serverless-LambdaStarPermissions", reason);
    return role;
  }
}

const checkVariables = (definition: FunctionDefinition, given: readonly string[]): void => {
  const declared = Object.keys(definition.environment);
  const missing = Object.entries(definition.environment)
    .filter(([name, variable]) => !given.includes(name) && !variable.safeParse(undefined).success)
    .map(([name]) => name);
  const unknown = given.filter((variable) => !declared.includes(variable));
  if (missing.length === 0 && unknown.length === 0) return;
  throw new Error(
    `The environment of the function "${definition.name}" is not the one it declares. ` +
      `Missing: ${missing.join(", ") || "none"}. Not declared: ${unknown.join(", ") || "none"}.`,
  );
};
