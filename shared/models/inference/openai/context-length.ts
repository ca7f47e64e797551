import * as z from "zod";
import { onFirstUse } from "../../../platform/on-first-use.ts";
import { readBody, sendRequest } from "../../../platform/outbound/http-client.ts";
import { limitTime } from "../../../platform/outbound/timeouts.ts";
import { type Backend, type ContextCounts, ContextLengthExceeded } from "./backend.ts";
import type { CompletionPlan, CompletionRequest } from "./chat-completion.ts";
import type { ModelCall } from "./task-server.ts";

/** How long a server's first request waits for the length of the context. */
const maxWaitMilliseconds = 300;
const maxReadMilliseconds = 5_000;
const maxListBytes = 1024 * 1024;

interface ListedModel {
  readonly name: string;
  readonly owner: string;
  readonly contextTokens: number | undefined;
}

/** A model as servers list it; each family has its own name for the length. */
const createWireModel = () => {
  const tokens = z.int().positive().nullish().catch(undefined);
  const text = z.string().nullish().catch(undefined);
  const wireModel = z.looseObject({
    id: text,
    name: text,
    owned_by: text,
    /** vLLM, SGLang. */
    max_model_len: tokens,
    /** llama.cpp, for one request. */
    meta: z.looseObject({ n_ctx: tokens }).nullish().catch(undefined),
    /** LM Studio: of the loaded model, then of any. */
    loaded_context_length: tokens,
    max_context_length: tokens,
    /** OpenRouter, and Ollama of a loaded model; Groq. */
    context_length: tokens,
    context_window: tokens,
  });
  return wireModel.transform(
    (model): ListedModel => ({
      name: model.id ?? model.name ?? "",
      owner: model.owned_by ?? "",
      contextTokens:
        model.max_model_len ??
        model.meta?.n_ctx ??
        model.loaded_context_length ??
        model.context_length ??
        model.context_window ??
        model.max_context_length ??
        undefined,
    }),
  );
};

/** The models that a server lists. */
const wireList = onFirstUse(() => {
  const models = z.array(createWireModel());
  return z.union([
    z.looseObject({ data: models }).transform(({ data }) => data),
    z.looseObject({ models }).transform((list) => list.models),
  ]);
});

/** Where servers that list no lengths under `/v1/models` have them, below their root, by the owner of their models. */
const ownLists: Readonly<Record<string, string>> = {
  // Ollama
  library: "/api/ps",
  // LM Studio
  organization_owner: "/api/v0/models",
};

const readList = async (url: URL, { headers }: ModelCall, signal: AbortSignal): Promise<ListedModel[]> => {
  const request = { url, method: "GET", headers, signal, silenceMilliseconds: undefined };
  const response = await sendRequest(request);
  const body = await readBody(response, maxListBytes);
  return response.statusCode === 200 ? wireList().parse(JSON.parse(body)) : [];
};

const rootUrl = ({ baseUrl }: Backend, path: string): URL => {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/(?:\/v1)?\/*$/, "") + path;
  return url;
};

const readModels = async (call: ModelCall): Promise<ListedModel[]> => {
  const limit = limitTime(maxReadMilliseconds, new AbortController().signal, () => new Error("Too slow."));
  try {
    const models = await readList(call.url("/models"), call, limit.signal);
    const ownList = models.map(({ owner }) => ownLists[owner]).find((path) => path !== undefined);
    const isListed = models.some(({ contextTokens }) => contextTokens !== undefined);
    if (isListed || ownList === undefined) return models;
    return await readList(rootUrl(call.backend, ownList), call, limit.signal);
  } catch {
    // Refusals will say what a server does not list.
    return [];
  } finally {
    limit.lift();
  }
};

/** What this process knows about the models of a server. */
interface KnownServer {
  /** Resolves when the server has listed its models, or has taken too long. */
  readonly ready: Promise<unknown>;
  models: readonly ListedModel[];
  /** From its refusals. */
  readonly learned: Map<string, number>;
}

const knownServers = new WeakMap<Backend, KnownServer>();

const openServer = (call: ModelCall): KnownServer => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxWaitMilliseconds);
  const list = readModels(call).then((models) => {
    clearTimeout(timer);
    server.models = models;
  });
  const server: KnownServer = { ready: Promise.race([list, late]), models: [], learned: new Map() };
  knownServers.set(call.backend, server);
  return server;
};

/** Returns the tokens that a request to a model and its reply may have together, if its server says. */
const contextOf = async (call: ModelCall, model: string): Promise<number | undefined> => {
  const server = knownServers.get(call.backend) ?? openServer(call);
  await server.ready;
  const { models, learned } = server;
  const listed = models.find(({ name }) => name === model) ?? (models.length === 1 ? models[0] : undefined);
  return learned.get(model) ?? listed?.contextTokens;
};

/** Fewer tokens are no reply. */
const minReplyTokens = 16;

const limitOf = (request: CompletionRequest): number | undefined =>
  request.max_tokens ?? request.max_completion_tokens;

const withLimit = ({ request, ...plan }: CompletionPlan, limit: number): CompletionPlan => {
  const name = request.max_tokens === undefined ? "max_completion_tokens" : "max_tokens";
  return { ...plan, request: { ...request, [name]: limit } };
};

const charactersOf = ({ messages, tools }: CompletionRequest): number =>
  JSON.stringify(messages).length + (tools ? JSON.stringify(tools).length : 0);

/** Texts have a token for four characters at most, in the languages that models know best. */
const maxCharactersPerToken = 4;
/** In languages that they know little. */
const minCharactersPerToken = 2;

/** What a context leaves for the reply, when the server has refused a reply of `limit` tokens. */
const leftAfter = (
  { promptTokens, totalTokens, contextTokens, isPartial }: ContextCounts,
  request: CompletionRequest,
  limit: number,
): number | undefined => {
  const prompt = promptTokens ?? (totalTokens === undefined ? undefined : totalTokens - limit);
  if (contextTokens === undefined || prompt === undefined) return undefined;
  // vLLM stops counting where the reply would not fit, which says nothing about the rest.
  const isUnknown = isPartial && contextTokens - prompt >= limit - 1;
  const counted = isUnknown ? Math.ceil(charactersOf(request) / minCharactersPerToken) : prompt;
  return contextTokens - Math.max(prompt, counted);
};

/**
 * Completes a request with as many tokens for its reply as were requested and its model's context leaves. A server that refuses more,
 * and says its numbers, is called once more.
 *
 * @param statedTokens the length of the context by the model's profile; by default as the server says.
 * @param complete sends a request.
 * @throws ContextLengthExceeded when the context leaves nothing for a reply, or as `complete` does.
 */
export const fitToContext = async <Reply>(
  call: ModelCall,
  plan: CompletionPlan,
  statedTokens: number | undefined,
  complete: (plan: CompletionPlan) => Promise<Reply>,
): Promise<Reply> => {
  const { request } = plan;
  const wanted = limitOf(request);
  if (wanted === undefined) return complete(plan);
  const contextTokens = statedTokens ?? (await contextOf(call, request.model));
  const likelyLeft =
    (contextTokens ?? Number.POSITIVE_INFINITY) - Math.ceil(charactersOf(request) / maxCharactersPerToken);
  const limit = Math.min(wanted, Math.max(minReplyTokens, likelyLeft));
  try {
    return await complete(limit === wanted ? plan : withLimit(plan, limit));
  } catch (error) {
    if (!(error instanceof ContextLengthExceeded)) throw error;
    const { counts } = error;
    if (counts.contextTokens !== undefined)
      knownServers.get(call.backend)?.learned.set(request.model, counts.contextTokens);
    const left = leftAfter(counts, request, limit);
    if (left === undefined || left < minReplyTokens || left >= limit) throw error;
    return complete(withLimit(plan, left));
  }
};
