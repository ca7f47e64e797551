import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  type InvocationResult,
  type LocalModel,
  sdkVariables,
  serveAssembly,
} from "@language-ai/aws-stand-ins";
import { watchFunctions } from "../build.ts";
import { checkLocalVariables } from "../stages.ts";
import { prepareAssembly } from "./assembly.ts";
import {
  chooseInspected,
  configureFunction,
  type Inspected,
  invokeFeature,
  secretValue,
} from "./functions.ts";
import { type IdentityStandIns, startIdentityStandIns } from "./identity/identity-servers.ts";
import { localRoutes } from "./local-routes.ts";
import { type MessagingPlatformServer, startMessagingPlatform } from "./messaging/platform-server.ts";
import { type Models, startModels } from "./models.ts";
import { isPrivate } from "./network.ts";
import { choosePorts } from "./ports.ts";
import { announceService, claimDataDirectory, withdrawService } from "./running-service.ts";
import type { LocalSettings } from "./settings.ts";

/** The whole service, running on this machine. */
export interface LocalService {
  readonly url: string;
  readonly chatStreamUrl: string | undefined;
  /** Who answers for the models, and what is to be said about that. */
  readonly models: Pick<Models, "servers" | "warnings">;
  /** The messaging platform's stand-in; `undefined` when messages go elsewhere. */
  readonly platform: MessagingPlatformServer | undefined;
  /** The stand-ins of the identity providers that nobody has named. */
  readonly identityProviders: IdentityStandIns["running"];
  readonly model: LocalModel;
  /** Whether others than this machine can reach it. */
  readonly isOpenToNetwork: boolean;
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

/** Starts the messaging platform's stand-in, unless the settings name the platform itself or another stand-in. */
const startMessaging = async (
  { dataDirectory, messagingApiUrl, platformSecrets }: LocalSettings,
  baseUrl: string,
): Promise<MessagingPlatformServer | undefined> => {
  if (messagingApiUrl) return undefined;
  const { access_token: accessToken, app_secret: appSecret } = platformSecrets;
  return startMessagingPlatform({
    dataDirectory: join(dataDirectory, "messaging"),
    accessToken,
    webhook: { url: `${baseUrl}/tasks/webhook`, appSecret },
  });
};

const start = async (
  { settings, variables, log, inspect }: StartOptions,
  cleanup: Cleanup,
): Promise<Omit<LocalService, "close">> => {
  const { dataDirectory } = settings;
  // Before anything is started: what is wrong with a variable is a sentence then.
  checkLocalVariables(variables);
  const inspected = inspect === undefined ? undefined : await chooseInspected(inspect, settings);
  await claimDataDirectory(dataDirectory);
  const { network } = settings;
  const ports = await choosePorts(settings.port, network.listen);
  const models = await startModels(settings, ports.sampleInference, variables);
  cleanup.add(() => models.close());
  const baseUrl = `http://${network.address}:${ports.api}${settings.basePath}`;
  const platform = await startMessaging(settings, baseUrl);
  if (platform) cleanup.add(() => platform.close());
  const identity = await startIdentityStandIns(settings, ports.identity, baseUrl);
  cleanup.add(() => identity.close());

  const instance = randomUUID();
  const application = await serveAssembly({
    assembly: prepareAssembly(dataDirectory, {
      ...models.variables,
      ...(platform ? { MESSAGING_API_URL: platform.endpoint } : {}),
      ...identity.variables,
      PUBLIC_BASE_URL: baseUrl,
    }),
    dataDirectory,
    ...(isPrivate(network) ? {} : { network }),
    endpoints: settings.externalEndpoints,
    basePath: settings.basePath,
    ports: { restApi: ports.api, functionUrls: ports.chatStream, s3: ports.storage },
    configureFunction: configureFunction(settings, inspected),
    maxConcurrency: settings.functionConcurrency,
    secretValue: secretValue(settings, identity),
    localRoutes: (served) => localRoutes(served, instance, platform),
    log,
  });
  cleanup.add(() => application.close());
  const { model, standIns, url } = application;
  await announceService(dataDirectory, {
    instance,
    url,
    tableName: model.tables[0]?.name ?? "",
    bucketName: model.functions.find(({ environment }) => "BUCKET_NAME" in environment)?.environment[
      "BUCKET_NAME"
    ],
    sdkVariables: sdkVariables(standIns),
  });
  cleanup.add(() => withdrawService(dataDirectory));
  return {
    url,
    chatStreamUrl: [...application.functionUrls.values()][0],
    models,
    platform,
    identityProviders: identity.running,
    model,
    isOpenToNetwork: !isPrivate(network),
    inspected,
    invoke: invokeFeature(application),
    watch: async () => {
      const watcher = await watchFunctions(
        (problem) => {
          if (problem) log(problem);
          else void application.recycle().then(() => log("Functions reloaded."));
        },
        { outdir: join(dataDirectory, "build") },
      );
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
