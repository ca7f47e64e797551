import * as z from "zod";
import { readFilterPattern } from "./filter-pattern.ts";
import { TemplateError } from "./intrinsic-functions.ts";
import type { EventSource, FunctionUrl, LocalFunction, LogSubscription } from "./local-model.ts";
import type { RoleCatalogue } from "./read-roles.ts";
import { functionNameOf, queueNameOf } from "./references.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";

const scalarText = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value));

// Absent values are Lambda's own defaults.
const functionSchema = z.object({
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Role: z.string().default("none"),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), scalarText).default({}) }).optional(),
  LoggingConfig: z.object({ LogGroup: z.string().optional() }).optional(),
});

/** The functions of an assembly; requests refer to them by name. */
export class FunctionCatalogue {
  readonly functions: readonly LocalFunction[];
  readonly #unreadable = new Map<string, TemplateError>();

  constructor(assembly: ResolvedAssembly, roles: RoleCatalogue) {
    this.functions = assembly.resources("AWS::Lambda::Function").flatMap((resource) => {
      try {
        return [readFunction(resource, assembly.assetDirectories, roles)];
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        this.#unreadable.set(resource.name, error);
        return [];
      }
    });
  }

  /**
   * The function that another resource sends requests to.
   *
   * @param error makes the error that names that resource.
   * @throws TemplateError when it cannot be run here; a function that nothing served depends on may be left unread.
   */
  require(name: string, error: (problem: string) => Error): string {
    const unreadable = this.#unreadable.get(name);
    if (unreadable !== undefined) throw unreadable;
    if (this.functions.some((candidate) => candidate.name === name)) return name;
    throw error(`calls the function ${name}, which is not in the assembly`);
  }
}

const readFunction = (
  resource: ResourceView,
  assetDirectories: ReadonlyMap<string, string>,
  roles: RoleCatalogue,
): LocalFunction => {
  const { Code, Handler, Role, Timeout, MemorySize, Environment, LoggingConfig } =
    resource.read(functionSchema);
  const assetDirectory = assetDirectories.get(Code.S3Key);
  if (assetDirectory === undefined) throw resource.error("has code that is not a directory of the assembly");
  return {
    name: resource.name,
    arn: resource.arn,
    assetDirectory,
    handler: Handler,
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
    environment: Environment?.Variables ?? {},
    role: roles.find(Role),
    logGroup: LoggingConfig?.LogGroup,
  };
};

const functionUrlSchema = z.object({
  // AWS_IAM needs signed requests, which would be let through unchecked here.
  AuthType: z.literal("NONE"),
  InvokeMode: z.literal("RESPONSE_STREAM", "only function URLs that stream are served"),
  TargetFunctionArn: z.string(),
  Cors: z.never("CORS settings of function URLs are not served").optional(),
});

/** The function URLs of an assembly. */
export const readFunctionUrls = (assembly: ResolvedAssembly, functions: FunctionCatalogue): FunctionUrl[] =>
  assembly.resources("AWS::Lambda::Url").map((resource) => {
    const { TargetFunctionArn } = resource.read(functionUrlSchema);
    return { functionName: functions.require(functionNameOf(TargetFunctionArn), resource.error) };
  });

const eventSourceSchema = z.object({
  EventSourceArn: z.string().startsWith("arn:aws:sqs:", "only queues are served as event sources"),
  FunctionName: z.string(),
  BatchSize: z.number().default(10),
  FunctionResponseTypes: z.array(z.string()).default([]),
  Enabled: z.boolean().default(true),
  ScalingConfig: z.object({ MaximumConcurrency: z.number().optional() }).optional(),
  // Messages that a filter drops on AWS would reach the function here.
  FilterCriteria: z.never("filters are not served").optional(),
});

/** The queues whose messages are given to functions. */
export const readEventSources = (assembly: ResolvedAssembly, functions: FunctionCatalogue): EventSource[] =>
  assembly.resources("AWS::Lambda::EventSourceMapping").flatMap((resource) => {
    const mapping = resource.read(eventSourceSchema);
    if (!mapping.Enabled) return [];
    return {
      queueName: queueNameOf(mapping.EventSourceArn),
      functionName: functions.require(functionNameOf(mapping.FunctionName), resource.error),
      batchSize: mapping.BatchSize,
      maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency,
      reportBatchItemFailures: mapping.FunctionResponseTypes.includes("ReportBatchItemFailures"),
    };
  });

const logSubscriptionSchema = z.object({
  LogGroupName: z.string(),
  DestinationArn: z.string().startsWith("arn:aws:lambda:", "only functions are served as destinations"),
  FilterPattern: z.string(),
});

/** The functions that get lines of logs. */
export const readLogSubscriptions = (
  assembly: ResolvedAssembly,
  functions: FunctionCatalogue,
): LogSubscription[] =>
  assembly.resources("AWS::Logs::SubscriptionFilter").map((resource) => {
    const { LogGroupName, DestinationArn, FilterPattern } = resource.read(logSubscriptionSchema);
    const matches = readFilterPattern(FilterPattern);
    if (!matches) throw resource.error("has a filter pattern of a form that is not served");
    return {
      logicalId: resource.logicalId,
      logGroup: LogGroupName,
      functionName: functions.require(functionNameOf(DestinationArn), resource.error),
      matches,
    };
  });
