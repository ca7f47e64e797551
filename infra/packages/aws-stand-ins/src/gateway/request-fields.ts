import type { Exchange } from "./exchange.ts";

/** Names of the caller's choosing as keys: without a prototype, `__proto__` is a key like any other. */
type Fields<Value> = Record<string, Value>;

const fields = <Value>(): Fields<Value> => Object.create(null);

/** The same fields twice, as in an event: the last value of each, and all of them. */
interface MultiFields {
  readonly last: Fields<string>;
  readonly all: Fields<string[]>;
}

const add = ({ last, all }: MultiFields, name: string, value: string): void => {
  last[name] = value;
  const values = all[name];
  if (values === undefined) all[name] = [value];
  else values.push(value);
};

/** Headers that concern one connection only (RFC 9110, 7.6.1), and those that the gateway sets itself. */
const notPassedOn = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-for",
  "x-forwarded-port",
  "x-forwarded-proto",
]);

/**
 * A request's headers in the spelling of the caller, and what the gateway adds to them. `X-Forwarded-For` keeps what
 * the caller claimed and ends with the true address.
 */
export const readHeaders = ({ request, sourceIp, requestId, receivedAt }: Exchange): MultiFields => {
  const headers: MultiFields = { last: fields(), all: fields() };
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!notPassedOn.has(name.toLowerCase())) add(headers, name, value);
  }
  const claimed = request.headers["x-forwarded-for"];
  add(headers, "X-Forwarded-For", claimed === undefined ? sourceIp : `${claimed}, ${sourceIp}`);
  add(headers, "X-Forwarded-Port", String(request.socket.localPort));
  add(headers, "X-Forwarded-Proto", "http");
  if (request.headers["x-amzn-trace-id"] === undefined) {
    const seconds = Math.floor(receivedAt.getTime() / 1000).toString(16);
    add(headers, "X-Amzn-Trace-Id", `Root=1-${seconds}-${requestId.replaceAll("-", "").slice(0, 24)}`);
  }
  return headers;
};

/** The parameters of a query, decoded; undefined when there are none. */
export const readQuery = ({ rawQuery }: Exchange): MultiFields | undefined => {
  if (rawQuery === "") return undefined;
  const query: MultiFields = { last: fields(), all: fields() };
  for (const [name, value] of new URLSearchParams(rawQuery)) add(query, name, value);
  return query;
};

const twoDigits = (value: number): string => String(value).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time as events write it: `10/Mar/2020:00:03:59 +0000`. */
export const formatRequestTime = (time: Date): string => {
  const day = `${twoDigits(time.getUTCDate())}/${months[time.getUTCMonth()]}/${time.getUTCFullYear()}`;
  return `${day}:${time.toISOString().slice(11, 19)} +0000`;
};
