import * as z from "zod";
import type { Caller } from "../accounts/access/caller.ts";
import { AppError } from "../platform/errors/app-error.ts";
import { validate } from "../platform/validation/validation.ts";
import type { Operation } from "./operation.ts";
import { basePathOf, type HttpMiddleware } from "./request.ts";
import type { Reply, ReplyWithHeaders } from "./response.ts";

export interface RequestFacts {
  readonly id: string;
  /** The connection's; no header can fake it. */
  readonly sourceAddress: string;
  /** The prefix of the API's paths where the caller reached it; no slash at the end. */
  readonly basePath: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborted shortly before the function's time ends. */
  readonly signal: AbortSignal;
}

/** A request before validation. */
export interface RawRequest extends Omit<RequestFacts, "signal"> {
  readonly body: unknown;
  readonly query: unknown;
  readonly path: unknown;
  readonly caller: Caller | undefined;
}

/** The validated parts of a request. */
interface RequestParts<Body, Query, Path> {
  readonly body: Body;
  readonly query: Query;
  readonly path: Path;
}

/** Who calls an operation, by what the operation requires. */
interface CallerByAuth {
  readonly user: Caller;
  readonly public: undefined;
}

/** A valid request: its parts, and its caller exactly when the operation requires a token. */
export interface EndpointInput<Body, Query, Path, Auth extends keyof CallerByAuth>
  extends RequestParts<Body, Query, Path> {
  readonly caller: CallerByAuth[Auth];
  readonly request: RequestFacts;
}

/** A validated request that has not run yet. */
export interface PreparedRequest {
  /** How many tasks it counts as on the quota. */
  readonly tasks: number;
  /** @throws AppError as the use case says. */
  execute(signal: AbortSignal): Promise<unknown>;
}

/** An operation bound to its use case. */
export interface Endpoint {
  readonly operation: Operation;
  /** @throws ValidationError when the request breaks its contract; AppError `unauthenticated` without a caller. */
  prepare(request: RawRequest): PreparedRequest;
}

const requireCaller: {
  readonly [Auth in keyof CallerByAuth]: (caller: Caller | undefined) => CallerByAuth[Auth];
} = {
  user: (caller) => {
    if (!caller) throw new AppError("unauthenticated");
    return caller;
  },
  public: () => undefined,
};

const taskList = z.object({ items: z.array(z.unknown()) });

/** Binds an operation to its use case. A wrong body field or result is a compile error. */
export const endpoint = <
  Body extends z.ZodType,
  Query extends z.ZodType,
  Path extends z.ZodType,
  Result extends z.ZodType,
  Auth extends "user" | "public",
>(
  operation: Operation<Body, Query, Path, Result, Auth>,
  execute: (
    input: EndpointInput<z.output<Body>, z.output<Query>, z.output<Path>, Auth>,
  ) => EndpointResult<z.input<Result>> | Promise<EndpointResult<z.input<Result>>>,
): Endpoint => {
  const requestSchema = z.object({
    body: operation.body?.schema ?? z.undefined(),
    query: operation.query ?? z.undefined(),
    path: operation.pathParameters ?? z.undefined(),
  });
  return {
    operation,
    prepare: ({ id, headers, sourceAddress, basePath, caller: found, ...raw }) => {
      const caller = requireCaller[operation.auth](found);
      // A part that is not declared has the type of its parameter's default, ZodUndefined. That a schema is absent only then
      // cannot be expressed as control flow.
      const parts = validate(requestSchema, {
        body: operation.body ? raw.body : undefined,
        query: operation.query ? raw.query : undefined,
        path: operation.pathParameters ? raw.path : undefined,
      }) as RequestParts<z.output<Body>, z.output<Query>, z.output<Path>>;
      return {
        tasks: operation.tasksIn ? taskList.parse(raw.body).items.length : 1,
        execute: async (signal) =>
          execute({ ...parts, caller, request: { id, headers, sourceAddress, basePath, signal } }),
      };
    },
  };
};

/** A use case returns the declared result, with headers of its own or without, or something that is not JSON. */
export type EndpointResult<Result> = Result | ReplyWithHeaders<Result> | Reply;

export const validateRequest = (): HttpMiddleware => ({
  before: ({ event }) => {
    event.prepared = event.endpoint?.prepare({
      id: event.requestId,
      headers: event.headers,
      sourceAddress: event.requestContext.identity.sourceIp,
      basePath: basePathOf(event),
      body: event.parsedBody ?? undefined,
      query: event.queryStringParameters ?? {},
      path: event.pathParameters ?? {},
      caller: event.caller,
    });
  },
});
