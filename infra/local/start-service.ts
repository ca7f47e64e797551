import {
  type InvocationResult,
  type LocalModel,
  readAssembly,
  startFunctionUrl,
  startRestApi,
} from "@language-ai/aws-stand-ins";
import { prepareAssembly } from "./assembly.ts";
import { type EmbeddedServices, sdkVariables, startEmbeddedServices } from "./embedded-services.ts";
import {
  chooseInspected,
  type Inspected,
  type RunningFunctions,
  reloadOnChange,
  startEventSources,
  startFunctions,
} from "./functions.ts";
import { localRoutes } from "./local-routes.ts";
import type { MessagingPlatformServer } from "./messaging/platform-server.ts";
import { startMessaging, startModels } from "./outside-servers.ts";
import { choosePorts, type Ports } from "./ports.ts";
import { provision } from "./provision.ts";
import { announceService, claimDataDirectory, withdrawService } from "./running-service.ts";
import type { LocalSettings } from "./settings.ts";

/** The whole service, running on this machine. */
export interface LocalService {
  readonly url: string;
  readonly chatStreamUrl: string | undefined;
  /** `undefined` when another server answers for the models. */
  readonly sampleInferenceUrl: string | undefined;
  /** The messaging platform's stand-in; `undefined` when messages go elsewhere. */
  readonly platform: MessagingPlatformServer | undefined;
  readonly model: LocalModel;
  readonly services: EmbeddedServices;
  /** `undefined` when no debugger can attach. */
  readonly inspected: Inspected | undefined;
  /** Invokes a function by its feature's name, as in the manifest. */
  invoke(feature: string, event: unknown): Promise<InvocationResult>;
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
  /** The feature whose function a debugger is to attach to. */
  readonly inspect?: string | undefined;
}

const host = "127.0.0.1";

/** Opens the two entry points of a deployment: the REST API, and the URL of the function that streams. */
const openEntryPoints = async (
  { model, services, log }: Pick<LocalService, "model" | "services"> & Pick<StartOptions, "log">,
  functions: RunningFunctions,
  platform: MessagingPlatformServer | undefined,
  ports: Ports,
  cleanup: Cleanup,
) => {
  const invoke = functions.lambda.invoke.bind(functions.lambda);
  const baseUrl = `http://${host}:${ports.api}`;
  const [functionUrl] = model.functionUrls;
  const stream = functionUrl
    ? await startFunctionUrl({ functionUrl, invoke, port: ports.chatStream, host, log })
    : undefined;
  if (stream) cleanup.add(() => stream.close());
  const routes = localRoutes({
    model,
    services,
    baseUrl,
    chatStreamUrl: stream?.url,
    platform,
    invoke: functions.invokeFeature,
  });
  const api = await startRestApi({ model, invoke, port: ports.api, host, localRoutes: routes, log });
  cleanup.add(() => api.close());
  return { url: baseUrl, chatStreamUrl: stream?.url };
};

const start = async (
  { settings, variables, log, inspect }: StartOptions,
  cleanup: Cleanup,
): Promise<Omit<LocalService, "close">> => {
  const { dataDirectory } = settings;
  const inspected = inspect === undefined ? undefined : await chooseInspected(inspect, settings);
  await claimDataDirectory(dataDirectory);
  const ports = await choosePorts(settings.port);
  const models = await startModels(settings, ports.sampleInference, variables);
  cleanup.add(() => models.close());
  const baseUrl = `http://${host}:${ports.api}`;
  const platform = await startMessaging(settings, baseUrl);
  if (platform) cleanup.add(() => platform.close());

  const preparing = prepareAssembly(dataDirectory, {
    ...models.variables,
    ...(platform ? { MESSAGING_API_URL: platform.endpoint } : {}),
    PORT: String(ports.api),
    PUBLIC_BASE_URL: baseUrl,
  });
  // A failure elsewhere must not leave this one unhandled; it is awaited below.
  preparing.catch(() => undefined);
  const services = await startEmbeddedServices(settings, ports.storage);
  cleanup.add(() => services.close());

  const model = readAssembly(await preparing, {
    queues: services.endpoints.sqs,
    functionUrl: () => `http://${host}:${ports.chatStream}/`,
  });
  await provision(model, services, settings);

  const environment = { model, services, settings, log, inspected };
  const functions = await startFunctions(environment);
  cleanup.add(() => functions.close());
  const { url, chatStreamUrl } = await openEntryPoints(environment, functions, platform, ports, cleanup);
  for (const source of startEventSources(environment, functions.lambda)) cleanup.add(() => source.close());

  await announceService(dataDirectory, {
    processId: process.pid,
    url,
    tableName: model.tables[0]?.name ?? "",
    sdkVariables: sdkVariables(services),
  });
  cleanup.add(() => withdrawService(dataDirectory));
  return {
    url,
    chatStreamUrl,
    sampleInferenceUrl: models.sampleUrl,
    platform,
    model,
    services,
    inspected,
    invoke: functions.invokeFeature,
    watch: async () => {
      const watcher = await reloadOnChange(environment, functions);
      cleanup.add(() => watcher.dispose());
    },
  };
};

/**
 * Starts the service from its own synthesised templates: what runs here is what a deployment would run.
 *
 * @throws Error with a sentence for whoever started it; whatever had been started is stopped again.
 */
export const startLocalService = async (options: StartOptions): Promise<LocalService> => {
  const cleanup = new Cleanup();
  try {
    return { ...(await start(options, cleanup)), close: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
};

/** Undoes what was started, last first. */
class Cleanup {
  readonly #steps: (() => Promise<unknown> | unknown)[] = [];

  add(step: () => Promise<unknown> | unknown): void {
    this.#steps.unshift(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}
