import type { Caller } from "../accounts/access/caller.ts";
import type { Source } from "../platform/outbound/source.ts";
import type { Operation } from "./operation.ts";

/**
 * A streamed body: pulled piece by piece, or pushed where the pieces are small and many. A producer that reported a
 * failure in the stream's own format returns the AppError at its end, so that the request can still be refunded.
 */
export type BodyChunks = AsyncIterable<string | Uint8Array, unknown> | Source<string>;

/** Streaming functions may send chunks; buffered ones only text. */
export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  /** `Set-Cookie` headers, only in streaming functions. */
  cookies?: readonly string[];
  body: string | BodyChunks;
}

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
