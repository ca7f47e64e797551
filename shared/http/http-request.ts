import type { MiddlewareObj, Request } from "@middy/core";
import type { Context } from "aws-lambda";
import type { HttpEvent } from "./http-event.ts";
import type { BodyChunks } from "./reply.ts";

/** An answer on its way out. Streaming functions may send chunks; buffered ones only text. */
export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | BodyChunks;
}

/** A request as the middlewares see it. */
export type HttpRequest = Request<HttpEvent, HttpResponse, Error, Context>;

/** A step of the stack. */
export type HttpMiddleware = MiddlewareObj<HttpEvent, HttpResponse, Error, Context>;
