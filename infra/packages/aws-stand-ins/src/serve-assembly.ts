import { once } from "node:events";
import { createServer } from "node:net";
import { startFunctionUrl } from "./gateway/function-url.ts";
import type { LocalRoutes } from "./gateway/local-routes.ts";
import { type ObservedRequest, startRestApi } from "./gateway/rest-api.ts";
import type { AccessKey, Role } from "./iam/authority.ts";
import { localAccountId } from "./iam/local-account.ts";
import { EventSourceMapping } from "./lambda/event-source-mapping.ts";
import type { FunctionConfiguration } from "./lambda/function-configuration.ts";
import type { InvocationResult } from "./lambda/invocation.ts";
import { LambdaService } from "./lambda/lambda-service.ts";
import { LogFeed } from "./lambda/log-subscription.ts";
import { provision, type SecretValue } from "./provision.ts";
import { type StandIns, type StandInsOptions, sdkVariables, startStandIns } from "./stand-ins.ts";
import type { FunctionUrl, LocalFunction, LocalModel } from "./template/local-model.ts";
import { readAssembly } from "./template/read-assembly.ts";

const loopback = { listen: "127.0.0.1", address: "127.0.0.1" };

/** A CDK app, running on this machine. */
export interface LocalApplication {
  /** What was read from the templates: functions, routes, resources, and the names they have here. */
  readonly model: LocalModel;
  readonly standIns: StandIns;
  /** The REST API, without a trailing slash and without a stage in its path. */
  readonly url: string;
  /** The address of each function URL, without a trailing slash, by the name of its function. */
  readonly functionUrls: ReadonlyMap<string, string>;
  /** The variables with which a program calls the stand-ins as one of the roles in {@link model}. */
  variablesOf(role: Role): Record<string, string>;
  /** Invokes a function by its name in {@link model}. A function that fails is a result, not an exception. */
  invoke(functionName: string, event: unknown): Promise<InvocationResult>;
  /** Lets the next invocations run code that has changed; those in flight finish first. */
  recycle(): Promise<void>;
  /** Ends every server and process; data stays whole. */
  close(): Promise<void>;
}

/** The options of serving an app; only the assembly and the data directory are required. */
export interface ServeOptions extends Omit<StandInsOptions, "enforcesPermissions" | "s3Port"> {
  /** The output directory of `cdk synth`. While a promise of it is open, the stand-ins start. */
  readonly assembly: string | Promise<string>;
  /**
   * Ports of 127.0.0.1; any free one where none is given. Several function URLs take the ports from `functionUrls` on.
   */
  readonly ports?: { readonly restApi?: number; readonly functionUrls?: number; readonly s3?: number };
  /** The prefix of every path of the REST API, such as `/prod`: the stage at its default address on AWS. */
  readonly basePath?: string;
  /**
   * What a function is to have other than its template says, further variables for instance.
   *
   * @param ownPorts those of the stand-ins, of the REST API if it was given, and of the function URLs.
   */
  readonly configureFunction?: (
    definition: LocalFunction,
    ownPorts: readonly number[],
  ) => Partial<FunctionConfiguration>;
  /** The values of secrets that no template holds. */
  readonly secretValue?: SecretValue;
  /** Routes of the REST API's server that exist on this machine only. */
  readonly localRoutes?: (application: LocalApplication) => LocalRoutes;
  /** Called with every authorized request to the REST API before its function is. */
  readonly observe?: (request: ObservedRequest) => void;
  /** How many invocations may run at a time, over all functions. */
  readonly maxConcurrency?: number;
  /** Called with every line that a function or a server has to say. */
  readonly log?: (line: string) => void;
}

/** A port that the system would have chosen now. */
const freePort = async (host: string): Promise<number> => {
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address ? address.port : 0;
};

/** Chosen before the servers start: functions may get the addresses of function URLs. */
const choosePorts = (
  functionUrls: readonly FunctionUrl[],
  host: string,
  first = 0,
): Promise<[string, number][]> =>
  Promise.all(
    functionUrls.map(
      async ({ functionName }, index): Promise<[string, number]> => [
        functionName,
        first === 0 ? await freePort(host) : first + index,
      ],
    ),
  );

/** Returns the key pair with which a role calls the stand-ins; that of all calls when nothing is enforced. */
const keysFor =
  ({ authority, credentials }: StandIns) =>
  (role: Role): AccessKey =>
    authority?.admit(role) ?? credentials;

type KeyOf = ReturnType<typeof keysFor>;

type Undo = (() => Promise<void>)[];

const createLambda = (
  { functions }: LocalModel,
  standIns: StandIns,
  keyOf: KeyOf,
  { configureFunction, maxConcurrency }: ServeOptions,
  ownPorts: readonly number[],
  onLine: (functionName: string, line: string) => void,
): LambdaService =>
  new LambdaService({
    functions: functions.map((definition) => {
      const { environment, ...settings } = configureFunction?.(definition, ownPorts) ?? {};
      return {
        name: definition.name,
        directory: definition.assetDirectory,
        handler: definition.handler,
        timeoutSeconds: definition.timeoutSeconds,
        memoryMegabytes: definition.memoryMegabytes,
        ...settings,
        environment: {
          ...definition.environment,
          ...sdkVariables({ ...standIns, credentials: keyOf(definition.role) }),
          ...environment,
        },
      };
    }),
    log: onLine,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });

/** Creates the functions, and what sends lines of their logs to others of them. */
const createFunctions = (
  model: LocalModel,
  standIns: StandIns,
  keyOf: KeyOf,
  options: ServeOptions,
  ownPorts: readonly number[],
  undo: Undo,
): LambdaService => {
  const { log = () => undefined } = options;
  const feeds = new Map<string, LogFeed[]>();
  const lambda = createLambda(model, standIns, keyOf, options, ownPorts, (functionName, line) => {
    for (const feed of feeds.get(functionName) ?? []) feed.take(line);
    log(`${functionName} | ${line}`);
  });
  undo.push(() => lambda.close());
  for (const { name, logGroup } of model.functions) {
    const own = model.logSubscriptions.filter((subscription) => subscription.logGroup === logGroup);
    if (own.length === 0) continue;
    const started = own.map((subscription) => new LogFeed({ subscription, lambda, log }));
    feeds.set(name, started);
    undo.push(async () => {
      for (const feed of started) feed.close();
    });
  }
  return lambda;
};

/** Starts to deliver the messages of the template's queues to their functions. */
const startEventSources = (
  { eventSources, queues, functions }: LocalModel,
  standIns: StandIns,
  keyOf: KeyOf,
  lambda: LambdaService,
  log: (line: string) => void,
): EventSourceMapping[] =>
  eventSources.map(({ queueName, functionName, batchSize, maxConcurrency, reportBatchItemFailures }) => {
    const queue = queues.find(({ name }) => name === queueName);
    const role = functions.find(({ name }) => name === functionName)?.role;
    if (!queue || !role)
      throw new Error(`The function ${functionName} waits for an unknown queue, ${queueName}.`);
    const { sqs, endpoints, credentials } = standIns;
    sqs?.attachWorker(queueName);
    return new EventSourceMapping({
      lambda,
      functionName,
      endpoint: endpoints.sqs,
      credentials: keyOf(role),
      releaseCredentials: credentials,
      queueUrl: `${endpoints.sqs}/${localAccountId}/${queueName}`,
      queueArn: queue.arn,
      batchSize,
      reportBatchItemFailures,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      log,
    });
  });

const start = async (options: ServeOptions, undo: Undo): Promise<LocalApplication> => {
  const {
    ports = {},
    network = loopback,
    localRoutes,
    secretValue,
    basePath,
    log = () => undefined,
  } = options;
  const assembly = Promise.resolve(options.assembly);
  // A failure elsewhere must not leave this one unhandled; it is awaited below.
  assembly.catch(() => undefined);
  const standIns = await startStandIns({
    ...options,
    enforcesPermissions: true,
    ...(ports.s3 !== undefined && { s3Port: ports.s3 }),
  });
  undo.push(() => standIns.close());
  const directory = await assembly;
  const queues = standIns.endpoints.sqs;
  const draft = readAssembly(directory, { queues, functionUrl: () => `http://${network.address}/` });
  const urlPorts = new Map(await choosePorts(draft.functionUrls, network.listen, ports.functionUrls));
  const urlOf = (functionName: string) => `http://${network.address}:${urlPorts.get(functionName)}`;
  const model = readAssembly(directory, { queues, functionUrl: (name) => `${urlOf(name)}/` });
  await provision(model, standIns, secretValue);

  const keyOf = keysFor(standIns);
  const endpoints = Object.values(standIns.endpoints).map((endpoint) => Number(new URL(endpoint).port));
  const ownPorts = [...endpoints, ...urlPorts.values(), ...(ports.restApi ? [ports.restApi] : [])];
  const lambda = createFunctions(model, standIns, keyOf, options, ownPorts, undo);
  await lambda.startInspected();
  const invoke = lambda.invoke.bind(lambda);
  for (const functionUrl of model.functionUrls) {
    const port = urlPorts.get(functionUrl.functionName) ?? 0;
    const server = await startFunctionUrl({
      functionUrl,
      invoke,
      port,
      host: network.listen,
      publicHost: network.address,
      log,
    });
    undo.push(() => server.close());
  }
  const parts = {
    model,
    standIns,
    functionUrls: new Map([...urlPorts.keys()].map((name) => [name, urlOf(name)])),
    variablesOf: (role: Role) => sdkVariables({ ...standIns, credentials: keyOf(role) }),
    invoke: (functionName: string, event: unknown) => invoke(functionName, event),
    recycle: () => lambda.recycle(),
    close: () => closeAll(undo),
  };
  const api = await startRestApi({
    model,
    invoke,
    port: ports.restApi ?? 0,
    host: network.listen,
    publicHost: network.address,
    log,
    ...(basePath !== undefined && { basePath }),
    observe: options.observe,
    localRoutes: (url) => localRoutes?.({ ...parts, url }) ?? {},
  });
  undo.push(() => api.close());
  for (const source of startEventSources(model, standIns, keyOf, lambda, log))
    undo.push(() => source.close());
  return { ...parts, url: api.url };
};

/** Ends what was started, last first. */
const closeAll = async (undo: Undo): Promise<void> => {
  for (const step of undo.splice(0).reverse()) await step();
};

/**
 * Serves a synthesised CDK app on this machine: its REST API, its function URLs, and its functions with the tables,
 * buckets, queues and secrets they use. Missing resources are created; data stays in the data directory across
 * restarts.
 *
 *
 * @throws TemplateError naming the resource when a served resource has no local meaning, and Error with a message
 * when a port is in use or a folder cannot be used; what had started is stopped again.
 */
export const serveAssembly = async (options: ServeOptions): Promise<LocalApplication> => {
  const undo: Undo = [];
  try {
    return await start(options, undo);
  } catch (error) {
    await closeAll(undo);
    throw error;
  }
};
