import type { CalledServer } from "../models/health/keys.ts";
import type { CallReport } from "../models/health/model-calls.ts";
import type { KeyOf } from "../models/inference/inference-keys.ts";
import type { Backend } from "../models/inference/openai/backend.ts";
import type { modelServersEnvironment } from "../platform/config/environment.ts";
import {
  bothFormsOf,
  type ChatServers,
  type ModelServers,
  serverSettings,
} from "../platform/config/model-servers.ts";
import type { VariableValues } from "../platform/config/variables.ts";
import { type ModelTask, modelTasks } from "../platform/telemetry/backend-uses.ts";

type Server = ChatServers[number] | ModelServers[number];

/** The servers of a task, as its function's variables have them. */
interface GivenServers {
  /** A list. */
  readonly servers: readonly [Server, ...Server[]] | undefined;
  /** The short form for one server. */
  readonly baseUrl: string | undefined;
}

/** What the adapters of a task need beyond its servers. */
export interface BackendOptions {
  /** How long a server without a timeout of its own may stay silent. */
  readonly silenceMilliseconds: number;
  readonly keyOf: KeyOf;
  /** What counts the calls of a server for operators. @param server its name, if it is in a list. */
  readonly reportOf?: (server: string | undefined) => CallReport;
}

/** The server of the short form has the name of its task. */
const listOf = (task: ModelTask, { servers, baseUrl }: GivenServers): readonly [Server, ...Server[]] => {
  if (baseUrl !== undefined && servers) throw new Error(`${bothFormsOf(task)}.`);
  if (servers) return servers;
  if (baseUrl !== undefined) return [{ name: task, base_url: baseUrl, order: 1, weight: 1 }];
  const { list, baseUrl: short } = serverSettings[task];
  throw new Error(`${list} is missing, and so is ${short}, the short form for one server.`);
};

/** Whether a server is one of chat, with its names for both models. */
const isOfChat = (server: Server): server is ChatServers[number] =>
  "model_14b" in server || "model_9b" in server;

const ownNames = (server: Server): Pick<Backend, "model" | "models"> =>
  isOfChat(server)
    ? {
        models: {
          ...(server.model_14b === undefined ? {} : { "lang-14b": server.model_14b }),
          ...(server.model_9b === undefined ? {} : { "lang-9b": server.model_9b }),
        },
      }
    : { model: server.model };

/** The servers of a task with their keys. @throws Error when the task has both forms of servers, or neither. */
export const modelServersFrom = (
  task: ModelTask,
  given: GivenServers,
  { silenceMilliseconds, keyOf, reportOf }: BackendOptions,
): readonly [Backend, ...Backend[]] => {
  const [first, ...others] = listOf(task, given);
  const toBackend = (server: Server): Backend => ({
    name: server.name,
    baseUrl: server.base_url,
    apiKey: () => keyOf(server.name),
    silenceMilliseconds: server.timeout_ms ?? silenceMilliseconds,
    report: reportOf?.(given.servers && server.name),
    order: server.order,
    weight: server.weight,
    ...ownNames(server),
  });
  return [toBackend(first), ...others.map(toBackend)];
};

/** The address of the server that is called first. */
export const firstAddress = (backends: readonly Backend[]): URL => {
  const lowest = Math.min(...backends.map(({ order = 1 }) => order));
  const first = backends.find(({ order = 1 }) => order === lowest);
  return new URL(first?.baseUrl ?? "");
};

/** A server, for an operator who asks whether it responds. */
interface ListedServer extends CalledServer {
  readonly baseUrl: string;
  readonly apiKey: () => Promise<string | undefined>;
}

/** The servers of all tasks, those of each in the order of their calls. @throws Error as {@link modelServersFrom} does. */
export const listedServersFrom = (
  environment: VariableValues<typeof modelServersEnvironment>,
  keyOf: KeyOf,
): readonly ListedServer[] =>
  modelTasks.flatMap((task) => {
    const { list, baseUrl } = serverSettings[task];
    const servers = environment[list];
    return listOf(task, { servers, baseUrl: environment[baseUrl] })
      .toSorted((one, other) => one.order - other.order)
      .map(({ name, base_url }) => ({
        task,
        ...(servers ? { server: name } : {}),
        baseUrl: base_url,
        apiKey: () => keyOf(name),
      }));
  });
