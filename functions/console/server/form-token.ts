import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The field of every form that holds the token. */
export const formTokenField = "form_token";

const tokenBytes = 32;

const proofOf = (secret: string): Buffer => createHmac("sha256", secret).update("form").digest();

const combine = (one: Uint8Array, other: Uint8Array): Buffer =>
  Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));

/** What forms of somebody who is not signed in are bound to. */
export const newFormSecret = (): string => randomBytes(tokenBytes).toString("base64url");

/** Whether a cookie may be one of ours. */
export const isFormSecret = (value: string | undefined): value is string =>
  value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value);

/**
 * What proves that a form was shown by us to the browser that sends it: made of a cookie that no other site can read or write.
 *
 * It is another text each time, so that the length of packed pages tells nothing of it.
 *
 * @param secret of the session, or of whoever has none yet.
 */
export const formTokenFor = (secret: string): string => {
  const mask = randomBytes(tokenBytes);
  return Buffer.concat([mask, combine(mask, proofOf(secret))]).toString("base64url");
};

/** Whether a form was shown by us to whoever holds the secret. */
export const isFormTokenOf = (token: unknown, secret: string): boolean => {
  const bytes = typeof token === "string" ? Buffer.from(token, "base64url") : Buffer.alloc(0);
  if (bytes.length !== 2 * tokenBytes) return false;
  return timingSafeEqual(combine(bytes.subarray(0, tokenBytes), bytes.subarray(tokenBytes)), proofOf(secret));
};

type Headers = Readonly<Record<string, string | undefined>>;

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/**
 * Whether a form comes from a page of ours, as far as the browser says. Browsers of today all say `Sec-Fetch-Site`, which no
 * page can change; older ones the `Origin`. What says neither is no browser of the last years, and has the form's token only.
 */
export const comesFromHere = (headers: Headers, baseUrl: string): boolean => {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = headers;
  if (origin === undefined || (origin === "null" && site === "same-origin")) return true;
  const host = hostOf(origin);
  // A machine may be called by several names, `localhost` and 127.0.0.1: the one that was called counts as well.
  return host !== undefined && (host === headers["host"] || host === new URL(baseUrl).host);
};
