import { buildQueryString, type HttpHandler, HttpResponse } from "@smithy/core/protocols";
import { idleTooLong } from "./connections.ts";
import { BackendTimeout, BackendUnreachable } from "./failures.ts";
import { sendRequest } from "./http-client.ts";

/** `http-client.ts` writes these itself. */
const ownHeaders = new Set(["host", "content-length"]);

/** Marks failures after which the SDK may try again. */
const asRetryable = (error: unknown): unknown =>
  error instanceof BackendTimeout || error instanceof BackendUnreachable
    ? Object.assign(error, { $retryable: {} })
    : error;

/**
 * Lets a client of the AWS SDK use this service's connections, time limits and failures.
 *
 * @param silenceMilliseconds how long the server may be silent, also within a body; a command's `requestTimeout` replaces it.
 */
export const sdkRequestHandler = (silenceMilliseconds: number): HttpHandler => ({
  handle: async ({ protocol, hostname, port, path, query, method, headers, body }, options = {}) => {
    const { abortSignal, requestTimeout = silenceMilliseconds } = options;
    const host = port === undefined ? hostname : `${hostname}:${port}`;
    const signal = abortSignal instanceof AbortSignal ? abortSignal : new AbortController().signal;
    try {
      const response = await sendRequest({
        url: new URL(`${protocol}//${host}${path}?${buildQueryString(query)}`),
        method,
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name))),
        body,
        signal,
        silenceMilliseconds: requestTimeout,
      });
      const { statusCode = 0 } = response;
      if (statusCode === idleTooLong)
        throw new BackendUnreachable("The connection had been idle for too long.");
      const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      return {
        response: new HttpResponse({ statusCode, headers: Object.fromEntries(fields), body: response }),
      };
    } catch (error) {
      throw signal.aborted ? error : asRetryable(error);
    }
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
});
