import { CookieJar } from "../support/cookie-jar.ts";
import type { Target } from "./attack.ts";
import type { Visitor } from "./visitor.ts";

type Fields = Readonly<Record<string, string>>;

/** A person who uses the console in a browser of their own. */
export const openBrowser = ({ url }: Target) => {
  const jar = new CookieJar();
  const { hostname, origin } = new URL(url);
  const get = async (path: string): Promise<{ status: number; html: string; location: string | null }> => {
    const response = await jar.fetch(`${url}${path}`);
    return {
      status: response.status,
      html: await response.text(),
      location: response.headers.get("location"),
    };
  };
  const tokenOn = async (path: string): Promise<string> => {
    const { html } = await get(path);
    return /name="form_token" value="([\w-]+)"/.exec(html)?.[1] ?? "";
  };
  const send = async (path: string, fields: Fields, headers: Fields = {}) => {
    const response = await jar.fetch(`${url}${path}`, {
      method: "POST",
      headers: { Origin: origin, "Sec-Fetch-Site": "same-origin", ...headers },
      body: new URLSearchParams(fields),
    });
    return {
      status: response.status,
      html: await response.text(),
      location: response.headers.get("location"),
    };
  };
  return {
    /** Its cookies, for a login at a provider. */
    jar,
    get,
    send,
    tokenOn,
    /** Fills in a form of a page. */
    fillIn: async (page: string, fields: Fields, to = page) =>
      send(to, { ...fields, form_token: await tokenOn(page) }),
    /** The cookie of the session, with the name that it has here. */
    session: (): readonly [string, string] => {
      for (const name of ["__Host-session", "console-session"]) {
        const value = jar.get(hostname, name);
        if (value !== undefined) return [name, value];
      }
      throw new Error("no one is logged in");
    },
    putCookie: ([name, value]: readonly [string, string]) => jar.set(hostname, name, value),
    /** Whether the console opens to this browser. */
    isIn: async (): Promise<boolean> => (await get("/console")).status === 200,
  };
};

export type Browser = ReturnType<typeof openBrowser>;

/** Logs a person in. */
export const logIn = async (
  browser: Browser,
  { username, password }: Visitor,
  page = "/console/log-in",
): Promise<void> => {
  const { status } = await browser.fillIn(page, { username, password }, "/console/log-in");
  if (status !== 303) throw new Error(`the login returned ${status}`);
};

/** A browser of a person who is logged in. */
export const signedIn = async (target: Target, visitor: Visitor): Promise<Browser> => {
  const browser = openBrowser(target);
  await logIn(browser, visitor);
  return browser;
};
