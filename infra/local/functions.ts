import { join } from "node:path";
import {
  EventSourceMapping,
  type InvocationResult,
  LambdaService,
  LOCAL_ACCOUNT_ID,
  type LocalModel,
} from "@language-ai/aws-stand-ins";
import { functionDefinitions } from "../../functions/manifest.ts";
import { watchFunctions } from "../build.ts";
import { type EmbeddedServices, sdkVariables } from "./embedded-services.ts";
import { featureNames } from "./local-routes.ts";
import { choosePort } from "./ports.ts";
import type { LocalSettings } from "./settings.ts";

/** A function to which a debugger can attach. */
export interface Inspected {
  /** The feature's name, as in the manifest. */
  readonly feature: string;
  readonly port: number;
}

/** Who is at a breakpoint thinks for as long as it takes. */
const inspectedSeconds = 24 * 60 * 60;

/** What the functions run on. */
export interface FunctionEnvironment {
  readonly model: Pick<LocalModel, "eventSources" | "functions" | "queues">;
  readonly services: Pick<EmbeddedServices, "endpoints" | "sqs">;
  readonly settings: LocalSettings;
  readonly log: (line: string) => void;
  readonly inspected?: Inspected | undefined;
}

/** The service's functions, ready to be invoked. */
export interface RunningFunctions {
  readonly lambda: LambdaService;
  /** Invokes a function by its feature's name, as in the manifest. */
  invokeFeature(feature: string, event: unknown): Promise<InvocationResult>;
  /** Ends every process, so that the next calls run the code that is there now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

const unknownFunction = (feature: string, known: Iterable<string>): Error =>
  new Error(`There is no function ${feature}; there are ${[...known].join(", ")}.`);

/**
 * Finds a port on which a debugger can attach to a function.
 *
 * @throws Error with a sentence when there is no such function or the port is in use.
 */
export const chooseInspected = async (
  feature: string,
  { inspectPort }: LocalSettings,
): Promise<Inspected> => {
  const known = functionDefinitions.map(({ name }): string => name);
  if (!known.includes(feature)) throw unknownFunction(feature, known);
  return { feature, port: await choosePort(inspectPort, "INSPECT_PORT") };
};

const configurationsOf = ({ model, services, settings, inspected }: FunctionEnvironment) => {
  const features = featureNames(model);
  return model.functions.map((definition) => ({
    name: definition.name,
    directory: definition.assetDirectory,
    handler: definition.handler,
    timeoutSeconds: definition.timeoutSeconds,
    memoryMegabytes: definition.memoryMegabytes,
    environment: {
      ...definition.environment,
      ...sdkVariables(services),
      POWERTOOLS_LOG_LEVEL: settings.logLevel,
    },
    ...(inspected && features.get(definition.name) === inspected.feature
      ? { inspectorPort: inspected.port, timeoutSeconds: inspectedSeconds }
      : {}),
  }));
};

/**
 * Makes the template's functions invocable. A process starts with the first call it takes; that of an inspected function
 * starts at once, so that a debugger can attach before the first call.
 */
export const startFunctions = async (environment: FunctionEnvironment): Promise<RunningFunctions> => {
  const { model, settings, inspected, log } = environment;
  const lambda = new LambdaService({
    functions: configurationsOf(environment),
    log: (functionName, line) => log(`${functionName} | ${line}`),
    maximumConcurrency: settings.functionConcurrency,
  });
  const names = new Map([...featureNames(model)].map(([name, feature]) => [feature, name]));
  const nameOf = (feature: string): string => {
    const name = names.get(feature);
    if (!name) throw unknownFunction(feature, names.keys());
    return name;
  };
  const warmInspected = async () => {
    if (inspected) await lambda.warm(nameOf(inspected.feature));
  };
  await warmInspected();
  return {
    lambda,
    invokeFeature: async (feature, event) => lambda.invoke(nameOf(feature), event),
    reload: async () => {
      await lambda.recycle();
      await warmInspected();
    },
    close: () => lambda.close(),
  };
};

/** Starts to deliver the messages of the template's queues to their functions. */
export const startEventSources = (
  { model, services, log }: FunctionEnvironment,
  lambda: LambdaService,
): EventSourceMapping[] =>
  model.eventSources.map(({ queueName, functionName, batchSize, reportBatchItemFailures }) => {
    const queue = model.queues.find(({ name }) => name === queueName);
    if (!queue) throw new Error(`The function ${functionName} waits for an unknown queue, ${queueName}.`);
    services.sqs?.attachWorker(queueName);
    return new EventSourceMapping({
      lambda,
      functionName,
      endpoint: services.endpoints.sqs,
      queueUrl: `${services.endpoints.sqs}/${LOCAL_ACCOUNT_ID}/${queueName}`,
      queueArn: queue.arn,
      batchSize,
      reportBatchItemFailures,
      log,
    });
  });

/** Builds the functions again whenever their code changes, and lets the next calls run the new code. */
export const reloadOnChange = (
  { settings, log }: FunctionEnvironment,
  functions: RunningFunctions,
): Promise<{ dispose(): Promise<void> }> =>
  watchFunctions(
    (problem) => {
      if (problem) log(problem);
      else void functions.reload().then(() => log("Functions reloaded."));
    },
    { outdir: join(settings.dataDirectory, "build") },
  );
