import type * as z from "zod";
import type { Scope } from "../accounts/access/api-keys.ts";
import type { AccountLimitClass, AddressLimitClass, LimitClass } from "../accounts/limits/policies.ts";
import type { ErrorCode } from "../platform/errors/catalogue.ts";

/** Sections of the API's documentation, in the order in which they are shown. */
export const tags = [
  "Accounts and tokens",
  "Translation",
  "Language identification",
  "Speech",
  "Chat",
  "OpenAI clients",
  "Uploads",
  "Jobs",
  "Messaging",
  "Service",
  "Deprecated (v1)",
] as const;

/**
 * How a request body is written on the wire: `form` is a form without files, in either of the two encodings of forms;
 * `json-or-form` is for operations that a page without JavaScript asks for as well;
 * `raw` hands its bytes on as they came.
 */
export type BodyEncoding = "json" | "form" | "json-or-form" | "multipart" | "raw";

/** That a route is kept for the sake of callers who have not moved on, and whose responses have headers that say so. */
export interface Deprecation {
  readonly since: Date;
  /** When it is going to be removed. */
  readonly sunset: Date;
  /** The path of the route that takes its place. */
  readonly successor: `/${string}`;
}

/** A route's declaration: the one place that states what it accepts, gives and needs. */
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
  /** `user`: a valid bearer token of an enabled account; `public`: anybody. */
  readonly auth: Auth;
  readonly body?: {
    readonly encoding: BodyEncoding;
    readonly schema: Body;
    /** The most bytes it may have; {@link maximumBodyBytes} tells what is taken otherwise. */
    readonly maximumBytes?: number;
  };
  readonly query?: Query;
  readonly pathParameters?: Path;
  /** Headers by which it answers one request otherwise than the same without them: `Vary` names them, for caches. */
  readonly variesBy?: z.ZodObject;
  readonly response: {
    /** 204 has no body: its schema is `z.null()`. */
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly schema: Result;
    /** Content types other than JSON in which the same operation may respond. */
    readonly otherContentTypes?: readonly string[];
  };
  /**
   * What the documentation shows as a request and its answer. Most of it is made of the `example`s of the fields' schemas
   * (`meta`), so this only says what these would not put together truly, or not at all. `npm run openapi` names what lacks an
   * example.
   */
  readonly example?: {
    readonly request?: z.input<Body> | undefined;
    readonly answer?: z.input<Result> | undefined;
    /** By content type: answers that are not JSON and can be read. */
    readonly otherAnswers?: Readonly<Record<string, string>>;
  };
  /**
   * By default `task` with a token and `anonymous` without one. What asks for a token is counted on its account always,
   * because the write that counts a request is the one that checks its token.
   */
  readonly limit?: Auth extends "user" ? AccountLimitClass : AddressLimitClass | "none";
  /**
   * What a key has to be allowed to do, so that it may call this; `any`: every key may. Keys call nothing that declares none.
   * {@link defineOperation} demands one of tasks.
   */
  readonly scope?: Scope | "any";
  /** The list in the body of which every entry is a task on the quota; otherwise a request is one. */
  readonly tasksIn?: "items";
  /**
   * That its response may leave while it is made: always, or when the body's text has this. Such a request takes one of its
   * account's places for streams before its body is read, so the pattern has to find every request that is going to stream;
   * one that it finds too many gives its place back like any other.
   */
  readonly streams?: "always" | RegExp;
  /**
   * What an `Idempotency-Key` does here. `replay`: the answer to the first request with it is given again, for a day.
   * `successor`: a token that was replaced gives the same new one again, for a minute. {@link idempotencyOf} tells what is
   * done otherwise.
   */
  readonly idempotencyKey?: "replay" | "successor";
  /** Errors beyond those that every operation shares (422, 429, 500, 503 and, with a token, 401 and 403). */
  readonly errors: readonly ErrorCode[];
  /** `oauth`: errors are told as RFC 6749 says, for clients of its flows. */
  readonly errorFormat?: "oauth";
  /** Answers about accounts and tokens must not be kept by any cache. */
  readonly confidential?: boolean;
  /**
   * Its token is checked by the function and not by API Gateway's authorizer, whose responses could not carry the
   * headers.
   */
  readonly deprecated?: Deprecation;
}

/** A task says which keys may ask for it. What an account does about itself is for its owner, unless it says otherwise. */
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

/** For conversations and for lists of texts: the longest that is valid, in the longest way of writing it, fits. */
export const longBodyBytes = 1_024 * kilobyte;

/**
 * The most bytes of a body whose operation says nothing else. A text of 5,000 characters, each escaped as two halves, has
 * 60,000 bytes. A form with files may be as large as a function's event can carry: 6 MB of base64.
 */
const usualMaximumBytes: Readonly<Record<BodyEncoding, number>> = {
  json: 64 * kilobyte,
  form: 64 * kilobyte,
  "json-or-form": 64 * kilobyte,
  raw: 64 * kilobyte,
  multipart: 4_608 * kilobyte,
};

/** The most bytes that an operation takes as its body. */
export const maximumBodyBytes = ({ encoding, maximumBytes }: NonNullable<Operation["body"]>): number =>
  maximumBytes ?? usualMaximumBytes[encoding];

/** The methods that a path answers when it has operations of these: HEAD wherever GET is, and OPTIONS everywhere. */
export const answeredMethods = (declared: readonly string[]): string[] => [
  ...declared.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])),
  "OPTIONS",
];

/** Which limits an operation falls under. One that says nothing is limited as strictly as its callers can be. */
export const limitClassOf = ({ limit, auth }: Pick<Operation, "limit" | "auth">): LimitClass =>
  limit ?? (auth === "user" ? "task" : "anonymous");

/**
 * What an `Idempotency-Key` does at an operation; `undefined` where it is ignored. A task that is asked for twice is paid
 * twice, so that every POST of one takes the header, unless its answers always leave while they are made.
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
