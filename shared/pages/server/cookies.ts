/**
 * The console's cookies:
 *
 * - `session`: who is signed in
 * - `form`: what forms are bound to without a session
 * - `language`: the chosen language
 * - `login`: a login in progress through an identity provider
 * - `confirmation`: a login that waits for a code of the second factor
 * - `connection`: a login through an identity provider whose account a person must prove
 */
export type CookieName = "session" | "form" | "language" | "login" | "confirmation" | "connection";

export interface Cookies {
  readonly nameOf: (cookie: CookieName) => string;
  /** The value of a cookie; the first one if it was sent twice. */
  readonly read: (header: string | undefined, cookie: CookieName) => string | undefined;
  /**
   * A `Set-Cookie` header. Scripts cannot read the cookie, and requests from other sites carry it only when someone follows a link.
   *
   * @param seconds its lifetime; without it until the browser is closed, 0 deletes it.
   */
  readonly write: (cookie: CookieName, value: string, seconds?: number) => string;
}

/** Whether the service runs on a developer's machine: a deployed one has a name, and TLS. */
const isDevelopers = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && /^(?:localhost|\d+(?:\.\d+){3}|\[[\da-f:]+\])$/.test(hostname);

/**
 * The cookies that browsers accept at the service's public address.
 *
 * With the prefix `__Host-` browsers accept them over TLS only, and other hosts of the same domain cannot set them. Without TLS,
 * Chrome and Firefox treat this machine as secure but Safari does not (https://bugs.webkit.org/show_bug.cgi?id=281149), and no
 * browser treats another address of the network so. At such addresses, which only `npm start` has, the cookies have neither the
 * prefix nor `Secure`.
 */
export const cookiesAt = (baseUrl: string): Cookies => {
  const [prefix, attributes] = isDevelopers(new URL(baseUrl))
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
