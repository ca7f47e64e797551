import * as z from "zod";
import type { RawRequest, RequestFacts } from "../../http/exchange.ts";
import { wantsPage } from "../../http/html.ts";
import { daySeconds } from "../../platform/durations.ts";
import { validate } from "../../platform/validation/validation.ts";
import { type Cookies, cookiesAt } from "./cookies.ts";
import type { Page } from "./define-page.ts";
import { formTokenFor, isFormSecret, newFormSecret, signatureOf } from "./form-token.ts";
import { linksInLanguage } from "./links.ts";
import { noProblems } from "./problems.ts";
import { languageFor, type Site } from "./render.tsx";
import {
  findSignedIn,
  type SessionDependencies,
  sessionSwitch,
  type Visit,
  withoutSessions,
} from "./visit.ts";

/** What the pages of a function share. Without sessions, they are the same for everyone. */
export type PageContext = { readonly site: Site } & (
  | SessionDependencies
  | { readonly sessions?: never; readonly accounts?: never }
);

export interface OpenVisit {
  readonly visit: Visit;
  /** The secret that forms are bound to. */
  readonly formSecret: string | undefined;
  readonly cookies: readonly string[];
}

/** The path with its parameters filled in, and the query. */
const hereIn = (
  { path }: Page,
  parameters: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
) => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ""),
  );
  const text = new URLSearchParams(query).toString();
  return text === "" ? filled : `${filled}?${text}`;
};

const texts = z.record(z.string(), z.string());
const textsIn = (value: unknown): Record<string, string> => texts.safeParse(value).data ?? {};

const languageSeconds = 365 * daySeconds;

/** Binds forms to the session, or to a cookie of their own without one. */
const formBinding = (
  declared: Page,
  session: string | undefined,
  cookie: string | undefined,
  cookies: Cookies,
): Pick<OpenVisit, "formSecret" | "cookies"> => {
  if (session !== undefined || !declared.form) return { formSecret: session, cookies: [] };
  if (isFormSecret(cookie)) return { formSecret: cookie, cookies: [] };
  const formSecret = newFormSecret();
  return { formSecret, cookies: [cookies.write("form", formSecret)] };
};

/** Reads a request: its session, language and query. @throws ValidationError when the query is not as the page declares. */
export const openVisit = async (
  declared: Page,
  raw: RawRequest,
  request: RequestFacts,
  { site, sessions, accounts }: PageContext,
): Promise<OpenVisit> => {
  const { headers } = request;
  const [query, path] = [textsIn(raw.query), textsIn(raw.path)];
  const cookies = cookiesAt(site.baseUrl);
  const given = sessions && headers["cookie"];
  const session = cookies.read(given, "session");
  const signedIn = sessions && (await findSignedIn(session, { sessions, accounts }));
  const { language: chosen } = query;
  const { language, texts } = languageFor(headers, site, chosen);
  const ownSession = signedIn ? session : undefined;
  const form = formBinding(declared, ownSession, cookies.read(given, "form"), cookies);
  const visit = {
    ...{ texts, language, path, request },
    query: declared.query ? validate(declared.query, query) : undefined,
    values: {},
    lists: {},
    problems: noProblems,
    formToken: form.formSecret === undefined ? "" : formTokenFor(form.formSecret),
    sign: (link: string) => (form.formSecret === undefined ? "" : signatureOf(form.formSecret, link)),
    wantsHtml: wantsPage(headers["accept"]),
    baseUrl: site.baseUrl,
    here: hereIn(declared, path, query),
    url: linksInLanguage(site, language),
    ...signedIn,
    ...(sessions ? sessionSwitch(signedIn, headers["user-agent"], { sessions, cookies }) : withoutSessions),
  };
  const languageCookie =
    sessions && chosen === language ? [cookies.write("language", language, languageSeconds)] : [];
  return { visit, formSecret: form.formSecret, cookies: [...form.cookies, ...languageCookie] };
};
