import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { watchFunctions } from "../../build.ts";
import { startFunctionUrl } from "../gateway/function-url-server.ts";
import { startRestApi } from "../gateway/rest-api-server.ts";
import { sampleModels, startSampleInference } from "../inference/sample-server.ts";
import { EventSourceMapping } from "../lambda/event-source-mapping.ts";
import type { InvocationResult } from "../lambda/invocation.ts";
import { LambdaService } from "../lambda/lambda-service.ts";
import type { LocalModel } from "../template/local-model.ts";
import { readAssembly } from "../template/read-assembly.ts";
import { prepareAssembly } from "./assembly.ts";
import { type EmbeddedServices, sdkVariables, startEmbeddedServices } from "./embedded-services.ts";
import { featureNames, localRoutes } from "./local-routes.ts";
import { choosePorts } from "./ports.ts";
import { provision } from "./provision.ts";
import { announceService, findRunningService, withdrawService } from "./service-file.ts";
import type { LocalSettings } from "./settings.ts";

/** The whole service, running on this machine. */
export interface LocalService {
  readonly url: string;
  readonly chatStreamUrl: string | undefined;
  /** `undefined` when another server answers for the models. */
  readonly sampleInferenceUrl: string | undefined;
  readonly model: LocalModel;
  /** Invokes a function by its feature's name, as in the manifest. */
  invoke(feature: string, event: unknown): Promise<InvocationResult>;
  readonly services: EmbeddedServices;
  /** Rebuilds and restarts functions whenever their code changes. */
  watch(): Promise<void>;
  /** Ends every server and process; data stays whole. */
  close(): Promise<void>;
}

/** What the service needs from whoever starts it. */
export interface StartOptions {
  readonly settings: LocalSettings;
  /** Decide the stage, as an operator's variables decide a deployed one. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
}

/** Runs the steps that undo what was started, last first. */
class Cleanup {
  readonly #steps: (() => Promise<unknown> | unknown)[] = [];

  add(step: () => Promise<unknown> | unknown): void {
    this.#steps.unshift(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}

const refuseSecondService = async ({ dataDirectory }: LocalSettings): Promise<void> => {
  const running = await findRunningService(dataDirectory);
  if (!running) return;
  throw new Error(
    `A service is running from ${dataDirectory} already, at ${running.url}. Stop it, or set DATA_DIR to another folder.`,
  );
};

const makeDataDirectory = async ({ dataDirectory }: LocalSettings): Promise<void> => {
  try {
    await mkdir(dataDirectory, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new Error(`The data directory ${dataDirectory} cannot be made or used (${reason}); set DATA_DIR.`);
  }
};

const startLambda = (
  model: LocalModel,
  services: EmbeddedServices,
  { settings, log }: StartOptions,
): LambdaService =>
  new LambdaService({
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
  });

const startEventSources = (
  model: LocalModel,
  services: EmbeddedServices,
  lambda: LambdaService,
  log: (line: string) => void,
) =>
  model.eventSources.flatMap(({ queueName, functionName, batchSize, reportBatchItemFailures }) => {
    const queue = model.queues.find(({ name }) => name === queueName);
    if (!queue)
      throw new Error(`The function ${functionName} waits for a queue that is not there: ${queueName}.`);
    return new EventSourceMapping({
      lambda,
      functionName,
      endpoint: services.endpoints.sqs,
      queueUrl: `${services.endpoints.sqs}/000000000000/${queueName}`,
      queueArn: queue.arn,
      batchSize,
      reportBatchItemFailures,
      log,
    });
  });

/**
 * Starts the service from its own synthesised templates: what runs here is what a deployment would run.
 *
 * @throws Error with a sentence for whoever started it; whatever had been started is stopped again.
 */
export const startLocalService = async (options: StartOptions): Promise<LocalService> => {
  const { settings, variables, log } = options;
  const cleanup = new Cleanup();
  try {
    await makeDataDirectory(settings);
    await refuseSecondService(settings);
    const ports = await choosePorts(settings.port);
    const url = `http://127.0.0.1:${ports.api}`;

    const sample = settings.chatBaseUrl
      ? undefined
      : await startSampleInference({ port: ports.sampleInference });
    if (sample) cleanup.add(() => sample.close());

    const preparing = prepareAssembly(settings.dataDirectory, {
      ...(sample
        ? {
            CHAT_BASE_URL: sample.baseUrl,
            CHAT_MODEL_14B: sampleModels.model14b,
            CHAT_MODEL_9B: sampleModels.model9b,
          }
        : {}),
      ...variables,
      ...(sample ? { CHAT_BASE_URL: sample.baseUrl } : {}),
      PORT: String(ports.api),
      PUBLIC_BASE_URL: url,
    });
    // A failure elsewhere must not leave this one unhandled; it is awaited below.
    preparing.catch(() => undefined);
    const services = await startEmbeddedServices(settings, ports.storage);
    cleanup.add(() => services.close());

    const chatStreamUrl = `http://127.0.0.1:${ports.chatStream}`;
    const model = readAssembly(await preparing, {
      queues: services.endpoints.sqs,
      functionUrl: () => `${chatStreamUrl}/`,
    });
    await provision(model, services, variables);

    const lambda = startLambda(model, services, options);
    cleanup.add(() => lambda.close());
    const invoke = lambda.invoke.bind(lambda);
    const functionNames = new Map([...featureNames(model)].map(([name, feature]) => [feature, name]));
    const invokeFeature = (feature: string, event: unknown) => {
      const name = functionNames.get(feature);
      if (!name)
        throw new Error(
          `There is no function ${feature}; there are ${[...functionNames.keys()].join(", ")}.`,
        );
      return lambda.invoke(name, event);
    };
    const [functionUrl] = model.functionUrls;
    const streamServer = functionUrl
      ? await startFunctionUrl({ functionUrl, invoke, port: ports.chatStream, host: "127.0.0.1", log })
      : undefined;
    if (streamServer) cleanup.add(() => streamServer.close());
    const api = await startRestApi({
      model,
      invoke,
      port: ports.api,
      host: "127.0.0.1",
      localRoutes: localRoutes({
        model,
        services,
        baseUrl: url,
        chatStreamUrl: streamServer ? chatStreamUrl : undefined,
        invoke: invokeFeature,
      }),
      log,
    });
    cleanup.add(() => api.close());
    for (const mapping of startEventSources(model, services, lambda, log)) cleanup.add(() => mapping.close());

    await announceService(settings.dataDirectory, {
      processId: process.pid,
      url,
      tableName: model.tables[0]?.name ?? "",
      sdkVariables: sdkVariables(services),
    });
    cleanup.add(() => withdrawService(settings.dataDirectory));

    return {
      url,
      chatStreamUrl: streamServer ? chatStreamUrl : undefined,
      sampleInferenceUrl: sample?.baseUrl,
      model,
      invoke: invokeFeature,
      services,
      watch: async () => {
        const watcher = await watchFunctions(
          (problem) => {
            if (problem) log(problem);
            else void lambda.recycle().then(() => log("Functions reloaded."));
          },
          { outdir: join(settings.dataDirectory, "build") },
        );
        cleanup.add(() => watcher.dispose());
      },
      close: () => cleanup.run(),
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
};
