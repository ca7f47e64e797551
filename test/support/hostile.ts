import { expect } from "vitest";
import { baseUrl } from "./client.ts";
import { sendOverWire, type WireResponse } from "./wire.ts";

/** A request that no client sends by mistake. */
export interface Hostile {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

/** A JSON body; a text is sent as it is. */
export const json = (body: unknown): Hostile => ({
  headers: { "Content-Type": "application/json" },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

/** The body of a form without files. */
export const form = (fields: Record<string, string>): Hostile => ({
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body: Buffer.from(new URLSearchParams(fields).toString()),
});

/** A multipart body of one part with these headers. */
export const multipart = (partHeaders: string): Hostile => ({
  headers: { "Content-Type": "multipart/form-data; boundary=b" },
  body: Buffer.from(`--b\r\n${partHeaders}\r\n\r\nx\r\n--b--\r\n`, "latin1"),
});

/** How long a hostile request may occupy the service. */
const maxMilliseconds = 5_000;

/**
 * Sends a hostile request with a token; by default POST with a body and GET without one. A quadratic expression takes
 * minutes for 100 kB: a request that hangs fails here.
 */
export const attack = (
  path: string,
  token: string,
  { method, headers, body }: Hostile = {},
): Promise<WireResponse> =>
  sendOverWire(baseUrl, {
    method: method ?? (body ? "POST" : "GET"),
    path,
    headers: { Authorization: `Bearer ${token}`, ...headers },
    body,
    maxMilliseconds,
  });

/** Checks that a response blames the request. */
export const expectRefused = (response: WireResponse): void => {
  const text = response.body.toString("utf8", 0, 500);
  expect(response.status, text).toBeGreaterThanOrEqual(400);
  expect(response.status, text).toBeLessThan(500);
  expect(response.headers["x-request-id"]).toBeTruthy();
};
