import type { Registration } from "./api-client.ts";
import { basePath, baseUrl, newRegistration } from "./client.ts";
import { cookieHeader, keepCookies } from "./cookie-jar.ts";

/** A page for a person without JavaScript. */
export interface SeenPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Its path, below the service's own address. */
  readonly path: string;
}

const decode = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, decode(value)]),
  );

/** Where the elements of a page lead to, and what they load. */
const linksIn = (html: string): string[] =>
  [...html.matchAll(/<[a-z][^<>]*?\s(?:href|src|action|formaction)="([^"]*)"/g)].map(([, link = ""]) => link);

/** The forms of a page, each with its address and fields. */
export const formsOf = ({ html }: Pick<SeenPage, "html">) =>
  [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = "", content = ""]) => ({
    action: attributesOf(attributes)["action"] ?? "",
    content,
    fields: Object.fromEntries(
      [...content.matchAll(/<input\b([^>]*)>/g)]
        // What is not checked is not sent.
        .filter(([, tag = ""]) => !tag.includes('type="checkbox"') || /\schecked\b/.test(tag))
        .map(([, tag = ""]) => attributesOf(tag))
        .flatMap(({ name, value = "" }) => (name ? [[name, value] as const] : [])),
    ),
  }));

/** What the page for sign-up sends when its box is checked. */
export const termsOf = ({ html }: Pick<SeenPage, "html">): { readonly accepted_terms: string } => {
  const [tag = ""] = /<input\b[^>]*name="accepted_terms"[^>]*>/.exec(html) ?? [];
  return { accepted_terms: attributesOf(tag)["value"] ?? "" };
};

/** A person with a browser that runs no scripts: it stores cookies, follows links and sends forms. */
export class FormVisitor {
  readonly cookies = new Map<string, string>();
  readonly #address: string;

  /** @param address of the service; by default the one that all tests share. */
  constructor(address = baseUrl) {
    this.#address = address;
  }

  /**
   *
   * @param headers instead of those that a browser sends automatically.
   */
  async ask(
    path: string,
    {
      form,
      headers = {},
    }: { readonly form?: Record<string, string>; readonly headers?: Record<string, string> } = {},
  ): Promise<SeenPage> {
    const response = await fetch(`${this.#address}${path}`, {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: {
        Accept: "text/html,application/xhtml+xml",
        Cookie: cookieHeader(this.cookies),
        ...(form ? { Origin: new URL(this.#address).origin, "Sec-Fetch-Site": "same-origin" } : {}),
        ...headers,
      },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    keepCookies(this.cookies, response);
    const html = await response.text();
    const lost = linksIn(html).filter((link) => link.startsWith("/") && !link.startsWith(`${basePath}/`));
    if (lost.length > 0) throw new Error(`${path} links to ${lost.join(", ")}, outside of the service.`);
    return { status: response.status, headers: response.headers, html, path };
  }

  /** Requests a page, and follows redirects. */
  async open(path: string): Promise<SeenPage> {
    return this.#follow(await this.ask(path));
  }

  /**
   * Fills in a form of a page and sends it.
   *
   * @param to which of its forms, below the service's own address; of several that go there, the one whose `action` is typed.
   */
  async send(page: SeenPage, to: string, typed: Record<string, string> = {}): Promise<SeenPage> {
    const form = formsOf(page).find(
      ({ action, fields }) =>
        action === `${basePath}${to}` && [undefined, fields["action"]].includes(typed["action"]),
    );
    if (!form) throw new Error(`There is no form that goes to ${to} at ${page.path}.`);
    return this.#follow(await this.ask(to, { form: { ...form.fields, ...typed } }));
  }

  /** Creates an account with the page for it, which logs in. */
  async signUp(person: Registration): Promise<SeenPage> {
    const page = await this.open("/console/sign-up");
    return this.send(page, "/console/sign-up", { ...person, ...termsOf(page) });
  }

  /** Logs in with the page for it. @param path of that page, with where it leads to. */
  async logIn(
    { username, password }: Pick<Registration, "password" | "username">,
    path = "/console/log-in",
  ): Promise<SeenPage> {
    return this.send(await this.open(path), "/console/log-in", { username, password });
  }

  async #follow(page: SeenPage): Promise<SeenPage> {
    const location = page.headers.get("location");
    if (page.status !== 303 || location === null) return page;
    const target = new URL(location, `${this.#address}${page.path}`);
    return target.origin === new URL(this.#address).origin && target.pathname.startsWith(`${basePath}/`)
      ? this.open(`${target.pathname.slice(basePath.length)}${target.search}`)
      : page;
  }
}

/** A new account, with the browser that has created it. */
export const signUp = async () => {
  const visitor = new FormVisitor();
  const registration = newRegistration();
  return { ...registration, visitor, seen: await visitor.signUp(registration) };
};

/** A new browser that has logged in to an account. */
export const logInTo = async (...account: Parameters<FormVisitor["logIn"]>) => {
  const visitor = new FormVisitor();
  return { visitor, seen: await visitor.logIn(...account) };
};
