import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Endpoint } from "./endpoint.ts";
import type { BodyChunks } from "./reply.ts";

/** What the stack finds out about a request and passes from one middleware to the next. */
export type RequestState = {
  requestId?: string;
  startedAt?: number;
  endpoint?: Endpoint;
};

/** An answer on its way out. Streaming functions may send chunks; buffered ones only text. */
export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | BodyChunks;
}

/** A request as the middlewares see it. */
export type HttpRequest = Request<APIGatewayProxyEvent, HttpResponse, Error, Context, RequestState>;

/** A step of the stack. */
export type HttpMiddleware = MiddlewareObj<APIGatewayProxyEvent, HttpResponse, Error, Context, RequestState>;
