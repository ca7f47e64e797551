import type { FunctionUrlCors } from "../template/local-model.ts";
import type { Exchange } from "./exchange.ts";

/** Whether the browser asks what it may send, before it sends it. */
export const isPreflight = ({ method, request }: Exchange): boolean =>
  method === "OPTIONS" &&
  request.headers.origin !== undefined &&
  request.headers["access-control-request-method"] !== undefined;

const allowedOrigin = (
  { allowOrigins, allowCredentials }: FunctionUrlCors,
  origin: string,
): string | undefined => {
  // Browsers refuse the asterisk for requests with credentials.
  if (allowOrigins.includes("*")) return allowCredentials ? origin : "*";
  return allowOrigins.includes(origin) ? origin : undefined;
};

/** The headers that a function URL's CORS settings add to an answer; none for origins that are not allowed. */
export const corsHeaders = (exchange: Exchange, cors: FunctionUrlCors): Record<string, string> => {
  const { origin } = exchange.request.headers;
  const allowed = origin === undefined ? undefined : allowedOrigin(cors, origin);
  if (allowed === undefined) return {};
  const headers: Record<string, string> = { "Access-Control-Allow-Origin": allowed, Vary: "Origin" };
  if (cors.allowCredentials) headers["Access-Control-Allow-Credentials"] = "true";
  if (cors.exposeHeaders.length > 0) headers["Access-Control-Expose-Headers"] = cors.exposeHeaders.join(",");
  if (!isPreflight(exchange)) return headers;
  headers["Access-Control-Allow-Methods"] = cors.allowMethods.join(",");
  headers["Access-Control-Allow-Headers"] = cors.allowHeaders.join(",");
  if (cors.maxAgeSeconds !== undefined) headers["Access-Control-Max-Age"] = String(cors.maxAgeSeconds);
  return headers;
};
