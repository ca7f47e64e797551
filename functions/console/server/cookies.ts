/**
 * The console's cookies:
 *
 * - `session`: who is signed in
 * - `form`: what forms are bound to before anybody is
 * - `language`: the language that was chosen
 * - `login`: a log-in through an identity provider that has begun
 */
export type CookieName = "session" | "form" | "language" | "login";

/** The console's cookies at one address. */
export interface Cookies {
  /** How the browser calls a cookie. */
  readonly nameOf: (cookie: CookieName) => string;
  /** A cookie of a request; of one that is there twice, the first. */
  readonly read: (header: string | undefined, cookie: CookieName) => string | undefined;
  /**
   * A `Set-Cookie` header. No script reads the cookie, and other sites' requests carry it only where somebody follows a link.
   *
   * @param seconds how long it is kept; without it until the browser is closed, with 0 it is removed.
   */
  readonly write: (cookie: CookieName, value: string, seconds?: number) => string;
}

const isThisMachine = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/**
 * The cookies as browsers take them at the service's public address.
 *
 * The prefix `__Host-` makes browsers take them over a secure connection only, for this host alone: no neighbour under the same
 * domain can put one of its own in their place. Chrome and Firefox count this machine as secure without TLS, Safari does not
 * (https://bugs.webkit.org/show_bug.cgi?id=281149): for a service that is known by such an address only they have neither the
 * prefix nor `Secure`.
 */
export const cookiesAt = (baseUrl: string): Cookies => {
  const [prefix, attributes] = isThisMachine(new URL(baseUrl))
    ? ["console-", "Path=/"]
    : ["__Host-", "Path=/; Secure"];
  const nameOf = (cookie: CookieName) => `${prefix}${cookie}`;
  return {
    nameOf,
    read: (header, cookie) => {
      const name = `${nameOf(cookie)}=`;
      const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
      return pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
    },
    write: (cookie, value, seconds) =>
      `${nameOf(cookie)}=${value}; ${attributes}; HttpOnly; SameSite=Lax${seconds === undefined ? "" : `; Max-Age=${seconds}`}`,
  };
};
