import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  type InvocationResult,
  type LocalApplication,
  type LocalModel,
  serveAssembly,
} from "@language-ai/aws-stand-ins";
import { watchFunctions } from "../build.ts";
import { checkLocalVariables } from "../stages.ts";
import { prepareAssembly } from "./assembly.ts";
import { eraseDaily } from "./erase-daily.ts";
import {
  chooseInspected,
  configureFunction,
  type Inspected,
  invokeFeature,
  isShownAt,
  secretValue,
} from "./functions.ts";
import { type IdentityStandIns, startIdentityStandIns } from "./identity/identity-servers.ts";
import { localRoutes } from "./local-routes.ts";
import { type MessagingPlatformServer, startMessagingPlatform } from "./messaging/platform-server.ts";
import { type Models, startModels } from "./models.ts";
import { isPrivate, networkOf } from "./network.ts";
import { choosePorts, type Ports } from "./ports.ts";
import { announceService, claimDataDirectory, withdrawService } from "./running-service.ts";
import type { LocalSettings } from "./settings.ts";

/** The whole service, running on this machine. */
export interface LocalService {
  readonly url: string;
  readonly chatStreamUrl: string | undefined;
  /** The model servers, those of them that were found, and warnings about them. */
  readonly models: Pick<Models, "servers" | "found" | "warnings">;
  /** The messaging platform's stand-in; `undefined` when messages go to another platform. */
  readonly platform: MessagingPlatformServer | undefined;
  /** The stand-ins of the identity providers that the settings do not name. */
  readonly identityProviders: IdentityStandIns["running"];
  readonly model: LocalModel;
  /** Whether other machines can reach it. */
  readonly isOpenToNetwork: boolean;
  /** Whether each function may do only what its role in the template allows. */
  readonly enforcesPermissions: boolean;
  /** The multiplier of the tiers' limits. */
  readonly limitMultiplier: number;
  /** `undefined` when no debugger can attach. */
  readonly inspected: Inspected | undefined;
  /** Invokes a function by its feature's name, as in the manifest. */
  invoke(feature: string, event: unknown): Promise<InvocationResult>;
  /** Rebuilds and restarts functions whenever their code changes. */
  watch(): Promise<void>;
  /** Stops every server and process, without loss of data. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly settings: LocalSettings;
  /** The stage's settings, like an operator's variables for a deployed one. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** The feature whose function a debugger can attach to. */
  readonly inspect?: string | undefined;
}

/** The messaging platform's stand-in; `undefined` when the settings have the address of another platform. */
const startMessaging = async (
  settings: LocalSettings,
  baseUrl: string,
): Promise<MessagingPlatformServer | undefined> => {
  if (settings.MESSAGING_API_URL) return undefined;
  return startMessagingPlatform({
    dataDirectory: join(settings.DATA_DIR, "messaging"),
    accessToken: settings.MESSAGING_ACCESS_TOKEN,
    webhook: { url: `${baseUrl}/tasks/webhook`, appSecret: settings.MESSAGING_APP_SECRET },
  });
};

/** Starts the servers that the service calls. */
const startBackends = async ({ settings, variables }: StartOptions, ports: Ports, cleanup: Cleanup) => {
  const models = await startModels(ports.sampleInference, variables);
  cleanup.add(() => models.close());
  const baseUrl = `http://${networkOf(settings).address}:${ports.api}${settings.BASE_PATH}`;
  const platform = await startMessaging(settings, baseUrl);
  if (platform) cleanup.add(() => platform.close());
  const identity = await startIdentityStandIns(settings, ports.identity, baseUrl);
  cleanup.add(() => identity.close());
  const stageVariables = {
    ...models.variables,
    ...(platform ? { MESSAGING_API_URL: platform.endpoint } : {}),
    ...identity.variables,
    PUBLIC_BASE_URL: baseUrl,
  };
  return { models, platform, identity, stageVariables };
};

const endpointsOf = (settings: LocalSettings) => ({
  dynamoDb: settings.AWS_ENDPOINT_URL_DYNAMODB,
  s3: settings.AWS_ENDPOINT_URL_S3,
  sqs: settings.AWS_ENDPOINT_URL_SQS,
  ses: settings.AWS_ENDPOINT_URL_SES,
});

/** The value of a variable that several functions have. */
const variableIn = ({ functions }: LocalModel, name: string): string | undefined =>
  functions.find(({ environment }) => name in environment)?.environment[name];

const announce = async (
  { DATA_DIR: dataDirectory }: LocalSettings,
  instance: string,
  { model, variablesOf, url }: LocalApplication,
  cleanup: Cleanup,
): Promise<void> => {
  const operator = model.roles.find(({ logicalId }) => logicalId.startsWith("Operator"));
  if (!operator) throw new Error("The template has no role for operators.");
  await announceService(dataDirectory, {
    instance,
    url,
    tableName: model.tables[0]?.name ?? "",
    bucketName: variableIn(model, "BUCKET_NAME"),
    mailQueueUrl: variableIn(model, "MAIL_QUEUE_URL"),
    sdkVariables: variablesOf(operator),
  });
  cleanup.add(() => withdrawService(dataDirectory));
};

const watch = async (
  { settings, variables, log }: StartOptions,
  application: LocalApplication,
  cleanup: Cleanup,
): Promise<void> => {
  const watcher = await watchFunctions(
    (problem) => {
      if (problem) log(problem);
      else void application.recycle().then(() => log("Functions reloaded."));
    },
    { outdir: join(settings.DATA_DIR, "build"), catalogue: checkLocalVariables(variables).catalogue },
  );
  cleanup.add(() => watcher.dispose());
};

const start = async (options: StartOptions, cleanup: Cleanup): Promise<Omit<LocalService, "close">> => {
  const { settings, variables, log, inspect } = options;
  const { DATA_DIR: dataDirectory } = settings;
  const network = networkOf(settings);
  // Before anything starts, so an invalid variable ends the command with a plain message.
  const { settings: stageSettings } = checkLocalVariables(variables);
  const inspected = inspect === undefined ? undefined : await chooseInspected(inspect, settings);
  await claimDataDirectory(dataDirectory);
  const ports = await choosePorts(settings.PORT, network.listen);
  const { models, platform, identity, stageVariables } = await startBackends(options, ports, cleanup);
  const instance = randomUUID();
  const otherPorts = [
    ...models.servers.flatMap(({ url, isSample }) => (isSample ? [url] : [])),
    ...identity.running.map(({ issuer }) => issuer),
    ...(platform ? [platform.endpoint] : []),
  ].map((url) => Number(new URL(url).port));
  const application = await serveAssembly({
    assembly: prepareAssembly(dataDirectory, stageVariables),
    dataDirectory,
    ...(isPrivate(network) ? {} : { network }),
    endpoints: endpointsOf(settings),
    basePath: settings.BASE_PATH,
    ports: { restApi: ports.api, functionUrls: ports.chatStream, s3: ports.storage },
    configureFunction: configureFunction(settings, inspected, otherPorts),
    maxConcurrency: settings.FUNCTION_CONCURRENCY,
    secretValue: secretValue(settings, identity, models),
    localRoutes: (served) => localRoutes(served, instance, platform),
    log: (line) => {
      if (isShownAt(settings.LOG_LEVEL, line)) log(line);
    },
    observe: ({ path, body }) => {
      if (/^\/tasks\/webhook\/?$/.test(path)) platform?.noteDelivery(body);
    },
  });
  cleanup.add(() => application.close());
  await announce(settings, instance, application, cleanup);
  const invoke = invokeFeature(application);
  cleanup.add(eraseDaily(() => invoke("erasure", {})));
  return {
    url: application.url,
    chatStreamUrl: [...application.functionUrls.values()][0],
    models,
    platform,
    identityProviders: identity.running,
    model: application.model,
    isOpenToNetwork: !isPrivate(network),
    enforcesPermissions: application.standIns.authority !== undefined,
    limitMultiplier: stageSettings.LIMIT_MULTIPLIER,
    inspected,
    invoke,
    watch: () => watch(options, application, cleanup),
  };
};

/**
 * Starts the service from its own synthesised templates, so it runs here as it would in a deployment.
 *
 * @throws Error with a message for the person who started it, after stopping everything it had started.
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

/** Stops everything that was started, last first. */
class Cleanup {
  readonly #steps: (() => Promise<unknown> | unknown)[] = [];

  add(step: () => Promise<unknown> | unknown): void {
    this.#steps.unshift(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}
