import type { AuthorizerContext } from "./authorizer.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { EventHead } from "./proxy-event.ts";

/** A request that has found its route and passed its authorizer. */
export interface RoutedRequest {
  readonly exchange: Exchange;
  readonly head: EventHead;
  readonly body: Buffer;
  /** What the authorizer said of the caller; undefined on routes that are open to anybody. */
  readonly authorizer: AuthorizerContext | undefined;
}

/** Answers the requests of one route. */
export interface Responder {
  /** @returns the reason why there is no answer, undefined when there is, or when nobody waits for one. */
  respond(request: RoutedRequest): Promise<Fault | undefined>;
}

/** Whether an API's binary media types include a media type. */
export type IsBinary = (mediaType: string) => boolean;
