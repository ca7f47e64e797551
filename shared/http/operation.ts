import type * as z from "zod";
import type { Scope } from "../accounts/access/api-keys.ts";
import type { AccountLimitClass, LimitClass, OpenLimitClass } from "../accounts/limits/policies.ts";
import type { ErrorCode } from "../platform/errors/catalogue.ts";
import { dialectOf } from "../platform/errors/error-body.ts";
import type { ApiHeaderName } from "./response-headers.ts";

/** Sections of the API's documentation, in the order in which they are shown. */
export const tags = [
  "Accounts and tokens",
  "Translation",
  "Language identification",
  "Speech",
  "Chat",
  "OpenAI clients",
  "DeepL and LibreTranslate clients",
  "Uploads",
  "Jobs",
  "Agents",
  "Messaging",
  "Service",
  "Deprecated (v1)",
] as const;

/**
 * How a request body is encoded: `form` is a form without files, in either of the two encodings of forms;
 * `json-or-form` also accepts pages without JavaScript; `raw` passes the bytes on unchanged.
 */
export type BodyEncoding = "json" | "form" | "json-or-form" | "multipart" | "raw";

/** Marks a route that remains for existing callers; headers of its responses say so. */
export interface Deprecation {
  readonly since: Date;
  /** When it is going to be removed. */
  readonly sunset: Date;
  /** The path of the route that replaces it. */
  readonly successor: `/${string}`;
  /** The path of the page that shows how to replace it. */
  readonly guide: `/${string}`;
}

/** A route's declaration: the one place that states what it accepts, returns and needs. */
export interface Operation<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Path extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
  Auth extends "user" | "public" = "user" | "public",
> {
  /** Unique, camelCase; also the name of its sample events. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly tag: (typeof tags)[number];
  /** `user`: a valid bearer token of an enabled account; `public`: anyone. */
  readonly auth: Auth;
  readonly body?: {
    readonly encoding: BodyEncoding;
    readonly schema: Body;
    /** The maximum size; {@link maxBodyBytes} has the default. */
    readonly maxBytes?: number;
  };
  readonly query?: Query;
  readonly pathParameters?: Path;
  /** Headers that change the response: `Vary` names them, for caches. */
  readonly variesBy?: z.ZodObject;
  readonly response: {
    /** 204 has no body: its schema is `z.null()`. */
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly schema: Result;
    /** Content types other than JSON in which the same operation may respond. */
    readonly otherContentTypes?: readonly string[];
    /** Headers of its own. Those that follow from the rest of the declaration are not named. */
    readonly headers?: readonly ApiHeaderName[];
    /** Further statuses and what each means, with an example of the body in the same schema; without one there is no body. */
    readonly otherStatuses?: Readonly<
      Record<number, { readonly description: string; readonly example?: z.input<Result> }>
    >;
    /** Whether browsers, by their `Accept`, are redirected to a page instead: status 303. */
    readonly redirectsBrowsers?: true;
  };
  /**
   * The documentation's example of a request and its response. Most of it comes from the `example`s of the fields'
   * schemas (`meta`), so this contains only what they cannot express together. `npm run openapi` names missing
   * examples.
   */
  readonly example?: {
    readonly request?: z.input<Body> | undefined;
    readonly response?: z.input<Result> | undefined;
    /** By content type: readable responses other than JSON. */
    readonly otherResponses?: Readonly<Record<string, string>>;
  };
  /**
   * Whether API Gateway's authorizer is in front of a public operation. Its use case calls other operations for the caller, which
   * check and count the request.
   */
  readonly authorizer?: Auth extends "public" ? true : never;
  /**
   * By default `task` with a token and `anonymous` without one. Operations that require a token always count on the
   * account, because the write that counts a request also checks its token.
   */
  readonly limit?: Auth extends "user" ? AccountLimitClass : OpenLimitClass;
  /** The scope that a key needs; `any`: every key may call it. Without one no key may. Tasks must declare one. */
  readonly scope?: Scope | "any";
  /** The body's list in which every entry counts as a task on the quota; without it a request is one task. */
  readonly tasksIn?: "items";
  /**
   * Whether the response may be streamed: always, or when the body's text matches. Such a request takes one of its
   * account's stream slots before its body is parsed, so the pattern must match every request that will stream; a
   * slot taken in vain is released like any other.
   */
  readonly streams?: "always" | RegExp;
  /**
   * What an `Idempotency-Key` does here. `replay`: repeated requests get the first response, for a day. `successor`:
   * a replaced token returns the same new one, for a minute. {@link idempotencyOf} has the default.
   */
  readonly idempotencyKey?: "replay" | "successor";
  /** Errors beyond those that every operation shares (422, 429, 500, 503 and, with a token, 401 and 403). */
  readonly errors: readonly ErrorCode[];
  /** `oauth`: errors have the format of RFC 6749, for clients of its flows. */
  readonly errorFormat?: "oauth";
  /** Responses about accounts and tokens must never be cached. */
  readonly confidential?: boolean;
  readonly deprecated?: Deprecation;
}

/** A task declares which keys may call it. By default only the owner may call operations on the account. */
type DeclaredScope<Auth> = Auth extends "user"
  ? { readonly limit: "account" } | { readonly limit?: "task"; readonly scope: Scope }
  : unknown;

/** Declares a route. Validation, routing, CDK, the OpenAPI document and the local gateway read the result. */
export const defineOperation = <
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Path extends z.ZodType = z.ZodUndefined,
  Result extends z.ZodType = z.ZodType,
  const Auth extends "user" | "public" = "user" | "public",
>(
  operation: Operation<Body, Query, Path, Result, Auth> & DeclaredScope<Auth>,
): Operation<Body, Query, Path, Result, Auth> => operation;

const kilobyte = 1_024;

/** For conversations and lists of texts: the longest valid one fits, even with all characters escaped. */
export const longBodyBytes = 1_024 * kilobyte;

/**
 * The default maximum size of a body. A text of 5,000 characters, each escaped as two halves, has 60,000 bytes. A form with
 * files may be as large as a function's event: 6 MB of base64.
 */
const defaultMaxBytes: Readonly<Record<BodyEncoding, number>> = {
  json: 64 * kilobyte,
  form: 64 * kilobyte,
  "json-or-form": 64 * kilobyte,
  raw: 64 * kilobyte,
  multipart: 4_608 * kilobyte,
};

/** In bytes. */
export const maxBodyBytes = ({ encoding, maxBytes }: NonNullable<Operation["body"]>): number =>
  maxBytes ?? defaultMaxBytes[encoding];

/** The methods that a path supports, given its operations' methods: HEAD wherever GET is, and OPTIONS everywhere. */
export const supportedMethods = (declared: readonly string[]): string[] => [
  ...declared.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])),
  "OPTIONS",
];

/**
 * Whether the function verifies the token, with no authorizer before it: responses of API Gateway's authorizer are the same for
 * all paths, so they can have neither the headers of deprecated routes nor the errors of the APIs of others; and it reads no key in the
 * forms of those.
 */
export const verifiesTokens = ({ deprecated, path }: Pick<Operation, "deprecated" | "path">): boolean =>
  deprecated !== undefined || dialectOf(path) !== undefined;

/** Without a declaration, an operation is limited as strictly as its callers can be. */
export const limitClassOf = ({ limit, auth }: Pick<Operation, "limit" | "auth">): LimitClass =>
  limit ?? (auth === "user" ? "task" : "anonymous");

/** The scopes of operations that call models on other servers. */
const modelScopes: ReadonlySet<string | undefined> = new Set<Scope>([
  "chat",
  "speech",
  "transcribe",
  "translate",
]);

/** Whether an operation calls models: its responses name the servers that replied, in `X-Model-Server`. */
export const callsModels = (operation: Pick<Operation, "auth" | "limit" | "method" | "scope">): boolean =>
  operation.method === "POST" && limitClassOf(operation) === "task" && modelScopes.has(operation.scope);

/**
 * What an `Idempotency-Key` does at an operation; `undefined` where it is ignored. A repeated task costs twice, so
 * every POST of one supports the header, unless its responses always stream.
 */
export const idempotencyOf = (
  operation: Pick<Operation, "auth" | "idempotencyKey" | "limit" | "method" | "streams">,
): Operation["idempotencyKey"] => {
  const { idempotencyKey, method, streams } = operation;
  if (idempotencyKey) return idempotencyKey;
  return method === "POST" && limitClassOf(operation) === "task" && streams !== "always"
    ? "replay"
    : undefined;
};
