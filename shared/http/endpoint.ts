import * as z from "zod";
import type { Caller } from "../accounts/access/caller.ts";
import { AppError } from "../platform/errors/app-error.ts";
import { validate } from "../platform/validation/validation.ts";
import type { Endpoint, RequestFacts } from "./exchange.ts";
import type { Operation } from "./operation.ts";
import { basePathOf, type HttpMiddleware } from "./request.ts";
import type { Reply, ReplyWithHeaders } from "./response.ts";

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

/**
 * Binds an operation to its use case. A wrong body field or result is a compile error.
 *
 * @example
 * ```ts
 * export const identifyOperation = defineOperation({
 *   id: "identifyLanguage",
 *   method: "POST",
 *   path: "/tasks/language_id",
 *   body: { encoding: "json", schema: z.object({ text: z.string().min(1) }) },
 *   response: { status: 200, description: "The language", schema: z.object({ language: z.string() }) },
 *   // …
 * });
 *
 * // `body` is valid, and `caller` known if the operation needs one.
 * endpoint(identifyOperation, ({ body }) => ({ language: model.identify(body.text).language }));
 * ```
 */
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
