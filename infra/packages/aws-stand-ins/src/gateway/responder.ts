import type { AuthorizerContext } from "./authorizer.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { EventHead } from "./proxy-event.ts";

/** The type and subtype of a `Content-Type` or of the first entry of an `Accept`, in lower case. */
export const mediaTypeOf = (headerValue: string | undefined): string =>
  (headerValue ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";

/** Makes a test for media types out of patterns such as `audio/*`. */
export const compileMediaTypes = (patterns: readonly string[]): ((mediaType: string) => boolean) => {
  const exact = new Set(patterns.map((pattern) => pattern.toLowerCase()));
  return (mediaType) =>
    exact.has(mediaType) || exact.has("*/*") || exact.has(`${mediaType.slice(0, mediaType.indexOf("/"))}/*`);
};

/** A request that has found its route and passed its authorizer. */
export interface RoutedRequest {
  readonly exchange: Exchange;
  readonly head: EventHead;
  readonly body: Buffer;
  /** The authorizer's result about the caller; undefined on public routes. */
  readonly authorizer: AuthorizerContext | undefined;
}

/** Handles the requests of one route. */
export interface Responder {
  /**
   *
   * @returns the reason why there is no response; undefined when there is one, or when the caller has left.
   */
  respond(request: RoutedRequest): Promise<Fault | undefined>;
}

/** Whether an API's binary media types include a media type. */
export type IsBinary = (mediaType: string) => boolean;
