import * as z from "zod";
import type { Authorizer } from "../template/local-model.ts";
import type { Exchange } from "./exchange.ts";
import { createFault, type Fault } from "./faults.ts";
import type { Log } from "./http-server.ts";
import { type Invoke, invokeWithin } from "./invoke.ts";
import { createAuthorizerEvent, type EventHead, methodArnOf } from "./proxy-event.ts";

const oneOrMore = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

// Strict: a policy that says more than this (a Condition, NotResource) would be taken for something it is not.
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: oneOrMore,
  Resource: oneOrMore,
});

const policyDocumentSchema = z.object({
  Statement: z.union([statementSchema.transform((statement) => [statement]), z.array(statementSchema)]),
});

type PolicyDocument = z.output<typeof policyDocumentSchema>;

type Verdict = "allow" | "explicit-deny" | "implicit-deny";

const invokeAction = "execute-api:Invoke";

/** Matches as IAM does: `*` stands for any characters, slashes included, `?` for one. */
const matches = (pattern: string, text: string): boolean => {
  if (pattern === text || pattern === "*") return true;
  const expression = pattern
    .replace(/[.+^$(){}|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(text);
};

/** Decides whether a policy lets a method be called. A denial outweighs any permission; silence denies. */
const evaluatePolicy = ({ Statement }: PolicyDocument, methodArn: string): Verdict => {
  const effects = Statement.filter(
    ({ Action, Resource }) =>
      // Actions are matched without case, resources with it.
      Action.some((pattern) => matches(pattern.toLowerCase(), invokeAction.toLowerCase())) &&
      Resource.some((pattern) => matches(pattern, methodArn)),
  ).map(({ Effect }) => Effect);
  if (effects.includes("Deny")) return "explicit-deny";
  return effects.includes("Allow") ? "allow" : "implicit-deny";
};

/** What `requestContext.authorizer` holds for the function. */
export type AuthorizerContext = Record<string, unknown>;

export type Decision =
  | { readonly allowed: true; readonly context: AuthorizerContext }
  | { readonly allowed: false; readonly fault: Fault };

const permissionSchema = z.object({
  principalId: z.string().optional(),
  policyDocument: policyDocumentSchema,
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
});

type Permission = z.output<typeof permissionSchema>;

interface Cached {
  readonly permission: Permission;
  readonly expiresAt: number;
}

/** API Gateway's integration timeout, which its calls to authorizers share. */
const timeoutMilliseconds = 29_000;
/** Every token makes an entry; a laptop that serves for weeks must not keep them all. */
const maxCached = 1_000;

const refuse = (fault: Fault): Decision => ({ allowed: false, fault });

const parsePayload = (payload: Buffer): unknown => {
  try {
    return JSON.parse(payload.toString());
  } catch {
    return undefined;
  }
};

/** Asks a REQUEST authorizer's function, or its cache, who may call what. */
export class RequestAuthorizer {
  readonly #definition: Authorizer;
  readonly #invoke: Invoke;
  readonly #log: Log;
  readonly #cache = new Map<string, Cached>();

  constructor(definition: Authorizer, invoke: Invoke, log: Log) {
    this.#definition = definition;
    this.#invoke = invoke;
    this.#log = log;
  }

  async authorize(exchange: Exchange, head: EventHead): Promise<Decision> {
    const identity = this.#identity(exchange, head);
    if (identity.includes(undefined)) return refuse(createFault("UNAUTHORIZED"));
    const key = JSON.stringify(identity);
    const startedAt = Date.now();
    const permission = this.#recall(key) ?? (await this.#ask(head));
    if ("type" in permission) return refuse(permission);
    this.#remember(key, permission);
    return this.#decide(permission, head, Date.now() - startedAt);
  }

  /** One value for each identity source; undefined for those that the request lacks. */
  #identity({ request }: Exchange, { queryStringParameters }: EventHead): (string | undefined)[] {
    return this.#definition.identitySources.map(({ from, name }) => {
      const value = from === "header" ? request.headers[name.toLowerCase()] : queryStringParameters?.[name];
      return value === undefined || value.length === 0 ? undefined : String(value);
    });
  }

  async #ask(head: EventHead): Promise<Permission | Fault> {
    const { functionName } = this.#definition;
    const event = createAuthorizerEvent(head);
    const result = await invokeWithin(this.#invoke, functionName, event, {
      milliseconds: timeoutMilliseconds,
    });
    if (result === "expired") return this.#fail("AUTHORIZER_FAILURE", "did not respond in time");
    if (result.kind === "error") {
      // The one error that is a decision: API Gateway compares the message with this very word.
      if (result.errorMessage === "Unauthorized") return createFault("UNAUTHORIZED");
      return this.#fail("AUTHORIZER_FAILURE", `failed with ${result.errorType}`);
    }
    if (result.kind === "stream") {
      result.body.destroy();
      return this.#fail("AUTHORIZER_CONFIGURATION_ERROR", "streams its response");
    }
    const permission = permissionSchema.safeParse(parsePayload(result.payload));
    if (permission.success) return permission.data;
    const problems = z.prettifyError(permission.error).replaceAll("\n", " ");
    return this.#fail("AUTHORIZER_CONFIGURATION_ERROR", `did not return a policy: ${problems}`);
  }

  #fail(type: "AUTHORIZER_FAILURE" | "AUTHORIZER_CONFIGURATION_ERROR", problem: string): Fault {
    this.#log(`The authorizer ${this.#definition.functionName} ${problem}.`);
    return createFault(type);
  }

  /** A cached policy is evaluated again for every method: allowing one call says nothing about the next. */
  #decide(
    { principalId, policyDocument, context }: Permission,
    head: EventHead,
    milliseconds: number,
  ): Decision {
    const entries = Object.entries(context ?? {}).filter(([, value]) => value !== null);
    const texts = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
    const authorizer = { ...texts, ...(principalId !== undefined && { principalId }) };
    switch (evaluatePolicy(policyDocument, methodArnOf(head))) {
      case "allow":
        return { allowed: true, context: { ...authorizer, integrationLatency: milliseconds } };
      case "implicit-deny":
        return refuse(createFault("ACCESS_DENIED", { authorizer }));
      case "explicit-deny": {
        const message = "User is not authorized to access this resource with an explicit deny";
        return refuse(createFault("ACCESS_DENIED", { authorizer, message }));
      }
    }
  }

  #recall(key: string): Permission | undefined {
    const cached = this.#cache.get(key);
    return cached !== undefined && Date.now() < cached.expiresAt ? cached.permission : undefined;
  }

  #remember(key: string, permission: Permission): void {
    const { cacheSeconds, identitySources } = this.#definition;
    // Without identity sources every caller would share one key.
    if (cacheSeconds === 0 || identitySources.length === 0 || this.#recall(key) !== undefined) return;
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= maxCached && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.delete(key);
    this.#cache.set(key, { permission, expiresAt: Date.now() + cacheSeconds * 1000 });
  }
}
