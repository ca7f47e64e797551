import type { Endpoint } from "../../shared/http/exchange.ts";
import { createBufferedHandler, type HandlerOptions } from "../../shared/http/pipeline.ts";
import { lambdaContext, lambdaEvent, type TestRequest } from "./lambda-event.ts";
import { unlimited } from "./unlimited.ts";

/** The claims of a token that the authorizer has accepted, in API Gateway's form. */
export const authorizedCaller = { userId: "7", tokenId: "3f0a2c1e-token", tokenEpoch: "0" };

/** A response for a test. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | boolean>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** Sends a request through the real middleware stack, by default without any limits. Objects are sent as JSON. */
export const send = async (
  endpoints: readonly Endpoint[],
  request: Omit<TestRequest, "body"> & { readonly body?: unknown; readonly remainingMilliseconds?: number },
  options?: HandlerOptions,
): Promise<TestResponse> => {
  const { body, remainingMilliseconds, ...rest } = request;
  const isRaw = typeof body === "string" || Buffer.isBuffer(body) || body === undefined;
  const event = lambdaEvent({
    ...rest,
    headers: isRaw ? (rest.headers ?? {}) : { "Content-Type": "application/json", ...rest.headers },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const handler = createBufferedHandler(endpoints, { limiter: unlimited, ...options });
  const response = await handler(event, lambdaContext(remainingMilliseconds));
  const isJson = String(response.headers?.["Content-Type"]).startsWith("application/json");
  return {
    status: response.statusCode,
    headers: response.headers ?? {},
    body: isJson && response.body !== "" ? JSON.parse(response.body) : response.body,
  };
};
