import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type * as z from "zod";

/** The body is one of `json`, `form` and `bytes`. */
export interface RequestOptions {
  readonly method?: string;
  readonly token?: string;
  readonly json?: object;
  readonly form?: URLSearchParams | FormData;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that must come back; by default any from 200 to 299. */
  readonly status?: number;
}

/** A whole response. */
export interface Received {
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Longer than any buffered operation takes, the start of its function included. */
const requestMilliseconds = 60_000;

const bodyOf = ({
  json,
  form,
  bytes,
}: RequestOptions): { readonly body?: NonNullable<RequestInit["body"]> } => {
  if (json) return { body: JSON.stringify(json) };
  if (form) return { body: form };
  return bytes ? { body: new Blob([Uint8Array.from(bytes)]) } : {};
};

/**
 * Sends a request.
 *
 * @throws Error with the beginning of the body when another status comes back.
 */
export const send = async (address: string, options: RequestOptions = {}): Promise<Received> => {
  const { json, token, headers, status } = options;
  const body = bodyOf(options);
  const method = options.method ?? ("body" in body ? "POST" : "GET");
  const response = await fetch(address, {
    method,
    headers: {
      ...(json ? { "Content-Type": "application/json" } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...body,
    signal: AbortSignal.timeout(requestMilliseconds),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (status === undefined ? !response.ok : response.status !== status) {
    const start = bytes.toString("utf8", 0, 300);
    throw new Error(
      `${method} ${new URL(address).pathname}: ${response.status} instead of ${status ?? "2xx"}: ${start}`,
    );
  }
  return { headers: response.headers, bytes };
};

/** Sends a request and reads the JSON that comes back. */
export const read = async <Content>(
  schema: z.ZodType<Content>,
  address: string,
  options?: RequestOptions,
): Promise<Content> => schema.parse(JSON.parse((await send(address, options)).bytes.toString("utf8")));

const waitMilliseconds = 180_000;

/** In milliseconds. They grow, so a long wait stays within the account's limit of requests a minute. */
const pauses = { first: 100, factor: 1.3, max: 3_000 };

/**
 * Polls until `look` finds something, with pauses that grow.
 *
 * @param what names the condition in the error, as in "the job is completed".
 * @param look returns `undefined` until then.
 * @throws Error after three minutes.
 */
export const waitFor = async <Found>(
  what: string,
  look: () => Promise<Found | undefined> | Found | undefined,
): Promise<Found> => {
  const latest = performance.now() + waitMilliseconds;
  for (let milliseconds = pauses.first; ; milliseconds = Math.min(milliseconds * pauses.factor, pauses.max)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > latest) throw new Error(`Timed out waiting until ${what}.`);
    await pause(milliseconds);
  }
};

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? "nothing";

/** @throws Error that shows both when they are not the same. */
export const requireSame = (what: string, found: unknown, expected: unknown): void => {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`${what}: ${shown(found)} instead of ${shown(expected)}`);
};
