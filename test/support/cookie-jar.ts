/** The request without its cookies. */
type Asking = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

/** The cookies of one host, by name. */
export type Cookies = Map<string, string>;

/** Cookies as a browser sends them. */
export const cookieHeader = (cookies: Cookies): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

/** Stores the cookies that a response sets, and removes those that it ends. */
export const keepCookies = (cookies: Cookies, { headers }: Response): void => {
  for (const line of headers.getSetCookie()) {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const [name = ""] = pair.split("=", 1);
    const isOver = attributes.some((attribute) =>
      /^(?:max-age=0$|expires=Thu, 01 Jan 1970)/i.test(attribute),
    );
    if (isOver) cookies.delete(name);
    else cookies.set(name, pair.slice(name.length + 1));
  }
};

/** Follows redirects and stores cookies as a browser does: by host name, for any port. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookies>();

  #of(host: string): Cookies {
    const cookies = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, cookies);
    return cookies;
  }

  /** A cookie's value. */
  get(host: string, name: string): string | undefined {
    return this.#of(host).get(name);
  }

  /** Puts a cookie in, or takes one out. */
  set(host: string, name: string, value: string | undefined): void {
    if (value === undefined) this.#of(host).delete(name);
    else this.#of(host).set(name, value);
  }

  /** One request, whose redirect is not followed. */
  async fetch(url: string | URL, init: Asking = {}): Promise<Response> {
    const { hostname } = new URL(url);
    const headers = new Headers({ Accept: "text/html,application/xhtml+xml", ...init.headers });
    const cookies = this.#of(hostname);
    if (cookies.size > 0) headers.set("Cookie", cookieHeader(cookies));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    keepCookies(cookies, response);
    return response;
  }

  /** Follows redirects until there are none, or one leads to the given end. @returns that address and its response. */
  async walk(
    start: string | URL,
    { until = () => false, ...first }: Asking & { readonly until?: (address: URL) => boolean } = {},
  ): Promise<{ readonly address: URL; readonly response: Response }> {
    let address = new URL(start);
    let response = await this.fetch(address, first);
    for (let steps = 0; steps < 20; steps += 1) {
      const location = response.headers.get("location");
      if (location === null) return { address, response };
      address = new URL(location, address);
      if (until(address)) return { address, response };
      await response.body?.cancel();
      response = await this.fetch(address);
    }
    throw new Error("The redirects do not end.");
  }
}
