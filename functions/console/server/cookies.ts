/**
 * The console's cookies. Their prefix makes browsers take them over a secure connection only (or from this machine), for this
 * host alone: no neighbour under the same domain can put one of its own in their place.
 */
export const cookieNames = {
  session: "__Host-session",
  /** What forms are bound to before anybody is signed in. */
  form: "__Host-form",
  language: "__Host-language",
  /** A log-in through an identity provider that has begun. */
  logIn: "__Host-login",
} as const;

/** The cookies of a request by their names; of one name that is there twice, the first. */
export const readCookies = (header: string | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const part of header?.split(";") ?? []) {
    const [name = "", ...value] = part.split("=");
    if (!found.has(name.trim())) found.set(name.trim(), value.join("=").trim());
  }
  return found;
};

/**
 * A `Set-Cookie` header. No script reads the cookie, and other sites' requests carry it only where somebody follows a link.
 *
 * @param seconds how long it is kept; without it until the browser is closed, with 0 it is removed.
 */
export const writeCookie = (name: string, value: string, seconds?: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${seconds === undefined ? "" : `; Max-Age=${seconds}`}`;
