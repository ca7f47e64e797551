import * as z from "zod";
import { AppError } from "../../../shared/errors/app-error.ts";
import type { Endpoint, RawRequest, RequestFacts } from "../../../shared/http/endpoint.ts";
import type { Operation } from "../../../shared/http/operation.ts";
import { Reply } from "../../../shared/http/response.ts";
import { validate } from "../../../shared/http/validation.ts";
import { type PageAnswer, redirect } from "./answers.ts";
import { cookieNames, readCookies, writeCookie } from "./cookies.ts";
import type { Audience, Page } from "./define-page.ts";
import {
  comesFromHere,
  formTokenField,
  formTokenFor,
  isFormSecret,
  isFormTokenOf,
  newFormSecret,
} from "./form-token.ts";
import { pageHeaders } from "./headers.ts";
import { linksUnder, logInPath } from "./links.ts";
import {
  canBeShownAgain,
  describeIssues,
  describeRefusal,
  type FormProblems,
  noProblems,
} from "./problems.ts";
import { languageFor, renderPage, type Site, wantsPage } from "./render.tsx";
import { findSignedIn, type SessionDependencies, type SignedIn, sessionSwitch, type Visit } from "./visit.ts";

type MaybeLater<Value> = Value | Promise<Value>;

/** A page with what it does. */
export interface BoundPage {
  readonly page: Page;
  readonly show: (visit: Visit) => MaybeLater<PageAnswer>;
  readonly submit: ((visit: Visit & { readonly form: unknown }) => MaybeLater<PageAnswer>) | undefined;
}

/**
 * Binds a page to what it does. A field that its form does not have, or somebody who may not be signed in, is a compile error.
 *
 * @param does.submit is called with a form that is valid. What it throws that the person can do something about, and what is
 * wrong with a form, is told by showing the page again.
 */
export const page = <
  Query extends z.ZodType,
  Form extends z.ZodType,
  Data extends z.ZodType,
  Who extends Audience,
>(
  declaration: Page<Query, Form, Data, Who>,
  does: {
    readonly show: (visit: Visit<z.output<Query>, Who>) => MaybeLater<PageAnswer<z.input<Data>>>;
    readonly submit?: (
      visit: Visit<z.output<Query>, Who> & { readonly form: z.output<Form> },
    ) => MaybeLater<PageAnswer<z.input<Data>>>;
  },
): BoundPage => {
  // The query and the form have been read with the declaration's schemas, and who is signed in is there where the audience says
  // so; none of it can be expressed as control flow.
  const { show, submit } = does as unknown as Omit<BoundPage, "page">;
  return { page: declaration, show, submit };
};

/** What all pages work with. */
export interface PageSurroundings extends SessionDependencies {
  readonly site: Site;
}

/** A visit with what is known of it before the page is asked. */
interface OpenVisit {
  readonly visit: Visit;
  /** What its forms are bound to. */
  readonly formSecret: string | undefined;
  readonly cookies: readonly string[];
}

const listsIn = (body: unknown): Record<string, readonly string[]> => {
  const lists: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(typeof body === "object" && body !== null ? body : {})) {
    if (name === formTokenField || /password/i.test(name)) continue;
    lists[name] = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
  }
  return lists;
};

const firstOf = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, [first = ""]]) => [name, first]));

const again = (visit: Visit, body: unknown, problems: FormProblems): Visit => {
  const lists = listsIn(body);
  return { ...visit, lists, values: firstOf(lists), problems };
};

/** The page's path with its parameters, and the query as it came. */
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

const languageSeconds = 365 * 24 * 60 * 60;

/** Finds out who asks, and for what. @throws ValidationError when the page's query is not as declared. */
const openVisit = async (
  declared: Page,
  raw: RawRequest,
  request: RequestFacts,
  { site, ...dependencies }: PageSurroundings,
): Promise<OpenVisit> => {
  const { headers } = request;
  const query = textsIn(raw.query);
  const sent = readCookies(headers["cookie"]);
  const signedIn = await findSignedIn(sent.get(cookieNames.session), dependencies);
  const { language: chosen } = query;
  const { language, texts } = languageFor(headers, site, chosen);
  const kept = sent.get(cookieNames.form);
  const own = isFormSecret(kept) ? kept : newFormSecret();
  const formSecret = signedIn ? sent.get(cookieNames.session) : declared.form ? own : undefined;
  const path = textsIn(raw.path);
  return {
    formSecret,
    cookies: [
      ...(formSecret === own && own !== kept ? [writeCookie(cookieNames.form, own)] : []),
      ...(chosen === language ? [writeCookie(cookieNames.language, language, languageSeconds)] : []),
    ],
    visit: {
      texts,
      language,
      query: declared.query ? validate(declared.query, query) : undefined,
      path,
      values: {},
      lists: {},
      problems: noProblems,
      formToken: formSecret === undefined ? "" : formTokenFor(formSecret),
      wantsHtml: wantsPage(headers["accept"]),
      baseUrl: site.baseUrl,
      here: hereIn(declared, path, query),
      url: linksUnder(site.baseUrl),
      request,
      ...signedIn,
      ...sessionSwitch(signedIn, headers["user-agent"], dependencies),
    },
  };
};

const isFor = ({ audience }: Page, { account }: Partial<SignedIn>): boolean =>
  audience === "everybody" || account !== undefined;

/** A page that is shown again says so by its status, however it was shown. */
const withStatus = (answer: PageAnswer, status: number): PageAnswer =>
  answer.kind === "shown" ? { ...answer, status } : answer;

/** Works on a form that was sent. @throws whatever the person can do nothing about; for programs, everything. */
const submitForm = async (
  { page: declared, show, submit }: BoundPage,
  { visit, formSecret }: OpenVisit,
  body: unknown,
): Promise<PageAnswer> => {
  const { texts, request, baseUrl, wantsHtml } = visit;
  if (!submit || !declared.form) throw new AppError("not_found");
  const showAgain = async (problems: FormProblems, status: number) =>
    withStatus(await show(again(visit, body, problems)), status);
  const token = typeof body === "object" && body !== null ? Reflect.get(body, formTokenField) : undefined;
  const isOurs =
    comesFromHere(request.headers, baseUrl) && formSecret !== undefined && isFormTokenOf(token, formSecret);
  if (!isOurs) {
    if (!wantsHtml) throw new AppError("forbidden", { message: texts.errors.form_too_old });
    return showAgain({ form: texts.errors.form_too_old, fields: {} }, 403);
  }
  if (!wantsHtml) return submit({ ...visit, form: validate(declared.form, body) });
  const form = declared.form.safeParse(body, { reportInput: true });
  if (!form.success) return showAgain(describeIssues(form.error.issues, texts), 422);
  try {
    return await submit({ ...again(visit, body, noProblems), form: form.data });
  } catch (error) {
    if (!canBeShownAgain(error)) throw error;
    return showAgain(describeRefusal(error, texts, Object.keys(listsIn(body))), error.status);
  }
};

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** How long an answer may be kept: what was made for one person, or for one form, never. */
const cacheHeaders = ({ page: { cacheSeconds } }: BoundPage, { formSecret, cookies, visit }: OpenVisit) =>
  cacheSeconds === undefined || formSecret !== undefined || cookies.length > 0 || visit.account
    ? { "Cache-Control": "no-store" }
    : { "Cache-Control": `public, max-age=${cacheSeconds}`, Vary: "Cookie, Accept-Language" };

/** An answer as it leaves. JSON leaves through the schema of the page's declaration. */
const send = (answer: PageAnswer, bound: BoundPage, open: OpenVisit, site: Site): unknown => {
  const { page: declared } = bound;
  const { visit } = open;
  if (answer.kind === "data") return answer.value;
  const headers = { ...pageHeaders(declared, site), ...cacheHeaders(bound, open) };
  if (answer.kind === "redirect") {
    const { to, isOutside, cookies } = answer;
    return new Reply({
      status: 303,
      contentType: "text/plain; charset=utf-8",
      headers: { ...headers, "Cache-Control": "no-store", Location: isOutside ? to : visit.url(to) },
      cookies: [...open.cookies, ...cookies],
      body: "",
    });
  }
  if (answer.kind === "file") {
    const { contentType, body } = answer;
    return new Reply({
      contentType,
      headers: { ...headers, ...answer.headers },
      body: typeof body === "string" ? body : inOnePiece(body),
    });
  }
  const { texts, language, account, formToken } = visit;
  const { path, scripts, isWide } = declared;
  const title = answer.title ?? declared.title(texts);
  const frame = { title, texts, language, path, username: account?.username, formToken, scripts, isWide };
  return new Reply({
    status: answer.status,
    contentType: "text/html; charset=utf-8",
    headers,
    cookies: open.cookies,
    body: renderPage(frame, answer.content, site),
  });
};

/** What the pipeline has to know of a page that is asked for, or of its form. */
const operationOf = (
  { id, path, confidential = false, data: given, limit }: Page,
  kind: "shown" | "sent",
): Operation => ({
  id: `${id}${kind === "shown" ? "Page" : "Form"}`,
  method: kind === "shown" ? "GET" : "POST",
  path,
  summary: id,
  tag: "Service",
  auth: "public",
  limit: kind === "shown" ? (limit?.shown ?? "none") : (limit?.sent ?? "anonymous"),
  ...(kind === "sent" ? { body: { encoding: "json-or-form" as const, schema: z.unknown() } } : {}),
  response: { status: 200, description: "The page", schema: given ?? z.never() },
  errors: [],
  confidential,
});

const endpointOf = (bound: BoundPage, kind: "shown" | "sent", surroundings: PageSurroundings): Endpoint => ({
  operation: operationOf(bound.page, kind),
  prepare: (raw) => ({
    tasks: 1,
    execute: async (signal) => {
      const { id, headers, sourceAddress } = raw;
      const opened = await openVisit(bound.page, raw, { id, headers, sourceAddress, signal }, surroundings);
      const { visit } = opened;
      const answer = async (): Promise<PageAnswer> => {
        if (!isFor(bound.page, visit)) throw new AppError("unauthenticated");
        return kind === "shown" ? bound.show(visit) : submitForm(bound, opened, raw.body);
      };
      try {
        return send(await answer(), bound, opened, surroundings.site);
      } catch (error) {
        const isToLogIn = error instanceof AppError && error.status === 401 && visit.wantsHtml;
        if (!isToLogIn) throw error;
        return send(redirect(logInPath(visit.here)), bound, opened, surroundings.site);
      }
    },
  }),
});

/** The endpoints of pages: each is shown, and those with a form take it. */
export const pageEndpoints = (pages: readonly BoundPage[], surroundings: PageSurroundings): Endpoint[] =>
  pages.flatMap((bound) => [
    endpointOf(bound, "shown", surroundings),
    ...(bound.submit ? [endpointOf(bound, "sent", surroundings)] : []),
  ]);
