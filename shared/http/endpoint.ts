import * as z from "zod";
import type { Caller } from "../auth/caller.ts";
import { AppError } from "../errors/app-error.ts";
import type { Operation } from "./operation.ts";
import type { Reply } from "./reply.ts";
import { validate } from "./validate.ts";

/** What a handler knows of the request besides its parsed parts. */
export interface RequestFacts {
  readonly id: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborted shortly before the function's time is over. */
  readonly signal: AbortSignal;
}

/** A request before validation, as the handler stack found it. */
export interface RawRequest extends RequestFacts {
  readonly body: unknown;
  readonly query: unknown;
  readonly path: unknown;
  readonly caller: Caller | undefined;
  /** Called once the request is known to be valid and before it is carried out; rejects what is beyond a limit. */
  readonly admit?: (() => Promise<void>) | undefined;
}

/** The validated parts of a request; `caller` is there exactly when the operation asks for a token. */
export interface EndpointInput<Body, Query, Path, Auth> {
  readonly body: Body;
  readonly query: Query;
  readonly path: Path;
  readonly caller: Auth extends "user" ? Caller : undefined;
  readonly request: RequestFacts;
}

/** An operation bound to the code that carries it out. */
export interface Endpoint {
  readonly operation: Operation;
  /** @throws ValidationError when the request breaks its contract; AppError as `admit` and the use case say. */
  handle(request: RawRequest): Promise<unknown>;
}

/** Binds an operation to its use case. A wrong body field or result is a compile error. */
export const endpoint = <
  Body extends z.ZodType,
  Query extends z.ZodType,
  Path extends z.ZodType,
  Result extends z.ZodType,
  Auth extends "user" | "public",
>(
  operation: Operation<Body, Query, Path, Result, Auth>,
  carryOut: (
    input: EndpointInput<z.output<Body>, z.output<Query>, z.output<Path>, Auth>,
  ) => Promise<z.input<Result> | Reply> | z.input<Result> | Reply,
): Endpoint => {
  const requestSchema = z.object({
    body: operation.body?.schema ?? z.undefined(),
    query: operation.query ?? z.undefined(),
    path: operation.pathParameters ?? z.undefined(),
  });
  return {
    operation,
    handle: async (raw) => {
      if (operation.auth === "user" && !raw.caller) throw new AppError("unauthenticated");
      const parts = validate(requestSchema, {
        body: operation.body ? raw.body : undefined,
        query: operation.query ? raw.query : undefined,
        path: operation.pathParameters ? raw.path : undefined,
      });
      await raw.admit?.();
      // The type parameters default to ZodUndefined exactly when a part is not declared, and a caller was
      // demanded above when `Auth` is "user"; neither can be expressed as control flow.
      const input = { ...parts, caller: raw.caller, request: raw } as unknown as EndpointInput<
        z.output<Body>,
        z.output<Query>,
        z.output<Path>,
        Auth
      >;
      return carryOut(input);
    },
  };
};
