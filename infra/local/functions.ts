import { join } from "node:path";
import {
  EventSourceMapping,
  type InvocationResult,
  LambdaService,
  LOCAL_ACCOUNT_ID,
  type LocalModel,
} from "@language-ai/aws-stand-ins";
import { watchFunctions } from "../build.ts";
import { type EmbeddedServices, sdkVariables } from "./embedded-services.ts";
import { featureNames } from "./local-routes.ts";
import type { LocalSettings } from "./settings.ts";

/** What the functions run on. */
export interface FunctionSurroundings {
  readonly model: LocalModel;
  readonly services: EmbeddedServices;
  readonly settings: LocalSettings;
  readonly log: (line: string) => void;
}

/** The service's functions, ready to be invoked. */
export interface RunningFunctions {
  readonly lambda: LambdaService;
  /** Invokes a function by its feature's name, as in the manifest. */
  invokeFeature(feature: string, event: unknown): Promise<InvocationResult>;
  close(): Promise<void>;
}

/** Makes the template's functions invocable; a process starts with the first call it takes. */
export const startFunctions = ({
  model,
  services,
  settings,
  log,
}: FunctionSurroundings): RunningFunctions => {
  const lambda = new LambdaService({
    functions: model.functions.map((definition) => ({
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
    })),
    log: (functionName, line) => log(`${functionName} | ${line}`),
    maximumConcurrency: settings.functionConcurrency,
  });
  const names = new Map([...featureNames(model)].map(([name, feature]) => [feature, name]));
  return {
    lambda,
    invokeFeature: async (feature, event) => {
      const name = names.get(feature);
      if (!name)
        throw new Error(`There is no function ${feature}; there are ${[...names.keys()].join(", ")}.`);
      return lambda.invoke(name, event);
    },
    close: () => lambda.close(),
  };
};

/** Starts to deliver the messages of the template's queues to their functions. */
export const startEventSources = (
  { model, services, log }: FunctionSurroundings,
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
  { settings, log }: FunctionSurroundings,
  lambda: LambdaService,
): Promise<{ dispose(): Promise<void> }> =>
  watchFunctions(
    (problem) => {
      if (problem) log(problem);
      else void lambda.recycle().then(() => log("Functions reloaded."));
    },
    { outdir: join(settings.dataDirectory, "build") },
  );
