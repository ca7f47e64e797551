import * as z from "zod";
import { compilePolicy, decide, type Statement } from "../iam/policy.ts";
import type { Authorizer } from "../template/local-model.ts";
import type { Exchange } from "./exchange.ts";
import { createFault, type Fault } from "./faults.ts";
import type { Log } from "./http-server.ts";
import { type Invoke, invokeWithin } from "./invoke.ts";
import { createAuthorizerEvent, type EventHead, methodArnOf } from "./proxy-event.ts";

const invokeAction = "execute-api:Invoke";

/** What `requestContext.authorizer` holds for the function. */
export type AuthorizerContext = Record<string, unknown>;

export type Decision =
  | { readonly allowed: true; readonly context: AuthorizerContext }
  | { readonly allowed: false; readonly fault: Fault };

const permissionSchema = z.object({
  principalId: z.string().optional(),
  policyDocument: z.unknown().transform((document, context): readonly Statement[] => {
    try {
      return compilePolicy(document);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  }),
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
    const identity = this.#identity(exchange);
    if (identity.includes(undefined)) return refuse(createFault("UNAUTHORIZED"));
    const key = JSON.stringify(identity);
    const startedAt = Date.now();
    const permission = this.#recall(key) ?? (await this.#ask(head));
    if ("type" in permission) return refuse(permission);
    this.#remember(key, permission);
    return this.#decide(permission, head, Date.now() - startedAt);
  }

  /** The value of each identity header; undefined for those that the request lacks. */
  #identity({ request }: Exchange): (string | undefined)[] {
    return this.#definition.identityHeaders.map((name) => {
      const value = request.headers[name.toLowerCase()];
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
    switch (decide(policyDocument, { action: invokeAction, resource: methodArnOf(head) })) {
      case "allowed":
        return { allowed: true, context: { ...authorizer, integrationLatency: milliseconds } };
      case "implicitly denied":
        return refuse(createFault("ACCESS_DENIED", { authorizer }));
      case "explicitly denied": {
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
    const { cacheSeconds, identityHeaders } = this.#definition;
    // Without identity headers every caller would share one key.
    if (cacheSeconds === 0 || identityHeaders.length === 0 || this.#recall(key) !== undefined) return;
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= maxCached && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.delete(key);
    this.#cache.set(key, { permission, expiresAt: Date.now() + cacheSeconds * 1000 });
  }
}
