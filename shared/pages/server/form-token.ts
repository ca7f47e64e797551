import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const formTokenField = "form_token";

const tokenBytes = 32;

const proofOf = (secret: string): Buffer => createHmac("sha256", secret).update("form").digest();

const combine = (one: Uint8Array, other: Uint8Array): Buffer =>
  Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));

/** Creates what forms are bound to without a session. */
export const newFormSecret = (): string => randomBytes(tokenBytes).toString("base64url");

export const isFormSecret = (value: string | undefined): value is string =>
  value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value);

/**
 * Proves that we showed a form to the browser that sends it. It is derived from a cookie that no other site can read or set, and
 * masked differently each time, so the length of compressed pages reveals nothing.
 *
 * @param secret the cookie of the session, or of the form without one.
 */
export const formTokenFor = (secret: string): string => {
  const mask = randomBytes(tokenBytes);
  return Buffer.concat([mask, combine(mask, proofOf(secret))]).toString("base64url");
};

/** Whether we created the form's token from this secret. */
export const isFormTokenOf = (token: unknown, secret: string): boolean => {
  const bytes = typeof token === "string" ? Buffer.from(token, "base64url") : Buffer.alloc(0);
  if (bytes.length !== 2 * tokenBytes) return false;
  return timingSafeEqual(combine(bytes.subarray(0, tokenBytes), bytes.subarray(tokenBytes)), proofOf(secret));
};

/** Signs a link of a page for the browser that the page was shown to, so no other site can use it. */
export const signatureOf = (secret: string, link: string): string =>
  createHmac("sha256", secret).update(`link ${link}`).digest("base64url");

type Headers = Readonly<Record<string, string | undefined>>;

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/**
 * Whether a request comes from one of our pages, by `Sec-Fetch-Site` or, in older browsers, `Origin`. Requests without both pass:
 * the form's token protects those.
 */
export const comesFromHere = (headers: Headers, baseUrl: string): boolean => {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = headers;
  if (origin === undefined || (origin === "null" && site === "same-origin")) return true;
  const host = hostOf(origin);
  // A machine can have several names, such as `localhost` and 127.0.0.1.
  return host !== undefined && (host === headers["host"] || host === new URL(baseUrl).host);
};
