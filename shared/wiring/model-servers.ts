import type { CalledServer } from "../models/health/keys.ts";
import type { CallReport } from "../models/health/model-calls.ts";
import { chatModelIds } from "../models/inference/chat.ts";
import type { KeyOf, KeyRule } from "../models/inference/inference-keys.ts";
import type { Backend, Backends, ServedModel } from "../models/inference/openai/backend.ts";
import { profileNamed } from "../models/inference/profiles.ts";
import type { modelServersEnvironment } from "../platform/config/environment.ts";
import {
  bothFormsOf,
  type ChatModelList,
  type ChatServers,
  diarizerName,
  type ModelServers,
  type NamedModel,
  serverSettings,
} from "../platform/config/model-servers.ts";
import type { VariableValues } from "../platform/config/variables.ts";
import { type ModelTask, modelTasks } from "../platform/telemetry/backend-uses.ts";

type Server = ChatServers[number] | ModelServers[number];

interface Addresses {
  /** The short form for one server. */
  readonly baseUrl: string | undefined;
  /** That of chat, for the task of translation. */
  readonly chatBaseUrl?: string | undefined;
}

/** The servers of a task, as its function's variables have them. */
interface GivenServers extends Addresses {
  /** A list. */
  readonly servers: readonly [Server, ...Server[]] | undefined;
  /** The names of the task's models, of chat in the order of the names that callers use. */
  readonly models: ChatModelList;
  /** The name of the profile of servers without one of their own. */
  readonly profile: string | undefined;
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
const listOf = (
  task: ModelTask,
  { servers, baseUrl }: Pick<GivenServers, "servers" | "baseUrl">,
): readonly [Server, ...Server[]] => {
  if (baseUrl !== undefined && servers) throw new Error(`${bothFormsOf(task)}.`);
  if (servers) return servers;
  if (baseUrl !== undefined) return [{ name: task, base_url: baseUrl, order: 1, weight: 1 }];
  const { list, baseUrl: short } = serverSettings[task];
  throw new Error(`${list} is missing, and so is ${short}, the short form for one server.`);
};

/** What a server calls its models and what they expect, where it differs from the rest of the stage. */
const ownModels = (server: Server): readonly NamedModel[] => {
  if ("models" in server && server.models) return server.models;
  return "model" in server && server.model !== undefined ? [{ name: server.model }] : [];
};

/** The models of a server; those of chat by the names that callers use. */
const modelsOf = (
  task: ModelTask,
  server: Server,
  given: GivenServers,
): Pick<Backend, "model" | "models"> => {
  const own = ownModels(server);
  const modelAt = (index: number): ServedModel => {
    const stages = given.models[index] ?? given.models.at(-1);
    const { name = stages?.name ?? "", profile } = own[index] ?? own.at(-1) ?? {};
    return {
      name,
      profile: profileNamed(profile ?? server.profile ?? stages?.profile ?? given.profile),
    };
  };
  return {
    model: modelAt(0),
    ...(task === "chat" ? { models: new Map(chatModelIds.map((id, index) => [id, modelAt(index)])) } : {}),
  };
};

/** A key belongs to an origin: the only server of translation gets that of chat there, and needs one of its own anywhere else. */
const keyRuleOf = (task: ModelTask, { baseUrl, chatBaseUrl }: Addresses): KeyRule => {
  if (task !== "translation" || baseUrl === undefined || chatBaseUrl === undefined) return {};
  return new URL(baseUrl).origin === new URL(chatBaseUrl).origin ? { substitute: "chat" } : { other: "chat" };
};

/** The servers of a task with their keys. @throws Error when the task has both forms of servers, or neither. */
export const modelServersFrom = (
  task: ModelTask,
  given: GivenServers,
  { silenceMilliseconds, keyOf, reportOf }: BackendOptions,
): Backends => {
  const [first, ...others] = listOf(task, given);
  const rule = keyRuleOf(task, given);
  const toBackend = (server: Server): Backend => ({
    name: server.name,
    baseUrl: server.base_url,
    apiKey: () => keyOf(server.name, rule),
    silenceMilliseconds: server.timeout_ms ?? silenceMilliseconds,
    report: reportOf?.(given.servers && server.name),
    order: server.order,
    weight: server.weight,
    ...modelsOf(task, server, given),
  });
  return [toBackend(first), ...others.map(toBackend)];
};

/** The address of the server that is called first. */
export const firstAddress = (backends: readonly Backend[]): URL => {
  const [first] = backends.toSorted(({ order: one = 1 }, { order: other = 1 }) => one - other);
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
): readonly ListedServer[] => {
  const diarizer = environment.DIARIZATION_BASE_URL;
  const listed = modelTasks.flatMap((task): ListedServer[] => {
    const { list, baseUrl } = serverSettings[task];
    const servers = environment[list];
    const addresses = { baseUrl: environment[baseUrl], chatBaseUrl: environment.CHAT_BASE_URL };
    const rule = keyRuleOf(task, addresses);
    return listOf(task, { servers, ...addresses })
      .toSorted((one, other) => one.order - other.order)
      .map(({ name, base_url }) => ({
        task,
        ...(servers ? { server: name } : {}),
        baseUrl: base_url,
        apiKey: () => keyOf(name, rule),
      }));
  });
  if (diarizer === undefined) return listed;
  const apiKey = () => keyOf(diarizerName);
  return [...listed, { task: "transcription", server: diarizerName, baseUrl: diarizer, apiKey }];
};
