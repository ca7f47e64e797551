import * as z from "zod";
import { requiresSecondFactor } from "../../accounts/sign-in/check-code.ts";
import type { Endpoint } from "../../http/exchange.ts";
import type { Operation } from "../../http/operation.ts";
import { inOnePiece, Reply, ReplyWithHeaders } from "../../http/response.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { cacheHeaders, withTag } from "./cached-page.ts";
import type { Page } from "./define-page.ts";
import { pageHeaders } from "./headers.ts";
import { codePath, logInPath, setUpPath } from "./links.ts";
import { type OpenVisit, openVisit, type PageContext } from "./open-visit.ts";
import type { BoundPage } from "./page.ts";
import { refuseVisit } from "./refused-visit.tsx";
import { renderPage, type Site } from "./render.tsx";
import { type PageResponse, redirect } from "./responses.ts";
import { submitForm } from "./submit-form.ts";
import { isOperator, type SignedIn, type Visit } from "./visit.ts";

const isFor = ({ audience }: Page, { account }: Partial<SignedIn>): boolean =>
  audience === "everybody" || account !== undefined;

const notStored = { "Cache-Control": "no-store" };

/** How long caches may store the response of a page; `undefined` when it may be for one person. */
const secondsInCaches = ({ cacheSeconds }: Page, { isForEveryone }: Site): number | undefined =>
  isForEveryone ? cacheSeconds : undefined;

type Shown = Extract<PageResponse, { readonly kind: "shown" }>;

const rendered = (response: Shown, declared: Page, visit: Visit, site: Site): string => {
  const { texts, language, account, formToken } = visit;
  const { path, scripts, styles, shell = "console" } = declared;
  const title = response.title ?? declared.title(texts);
  const frame = {
    ...{ title, texts, language, path, username: account?.username, formToken, styles, shell },
    isOperator: isOperator(visit),
    scripts: ["page", ...(scripts ?? [])],
    refreshSeconds: response.refreshSeconds,
  };
  return renderPage(frame, response.content, site);
};

/** The response of a page. JSON goes through the schema of its declaration. */
const send = (
  response: PageResponse,
  { page: declared }: BoundPage,
  open: OpenVisit,
  site: Site,
): unknown => {
  const { visit } = open;
  const seconds = secondsInCaches(declared, site);
  const caching = seconds === undefined ? notStored : cacheHeaders(seconds);
  if (response.kind === "data") {
    return seconds === undefined ? response.value : new ReplyWithHeaders(response.value, caching);
  }
  const headers = { ...pageHeaders(declared, site), ...caching };
  if (response.kind === "redirect") {
    const { to, isOutside, cookies } = response;
    return new Reply({
      status: 303,
      contentType: "text/plain; charset=utf-8",
      headers: { ...headers, ...notStored, Location: isOutside ? to : visit.url(to) },
      cookies: [...open.cookies, ...cookies],
      body: "",
    });
  }
  const tagged = (contentType: string, body: string, own: Readonly<Record<string, string>>) =>
    withTag({ contentType, body, headers: own }, visit.request.headers["if-none-match"]);
  if (response.kind === "file") {
    const { contentType, body } = response;
    const own = { ...caching, ...response.headers };
    if (seconds !== undefined && typeof body === "string") return tagged(contentType, body, own);
    return new Reply({
      contentType,
      headers: own,
      body: body instanceof Uint8Array ? inOnePiece(body) : body,
    });
  }
  const { status, retryAfterSeconds } = response;
  const contentType = "text/html; charset=utf-8";
  const body = rendered(response, declared, visit, site);
  if (seconds !== undefined && status === 200) return tagged(contentType, body, headers);
  return new Reply({
    status,
    contentType,
    headers: {
      ...headers,
      ...notStored,
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    },
    cookies: [...open.cookies, ...response.cookies],
    body,
  });
};

/** A page as an operation of the pipeline. */
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
  limit: kind === "shown" ? (limit?.shown ?? "reading") : (limit?.sent ?? "anonymous"),
  ...(kind === "sent" ? { body: { encoding: "json-or-form" as const, schema: z.unknown() } } : {}),
  response: { status: 200, description: "The page", schema: given ?? z.never() },
  errors: [],
  confidential,
});

const endpointOf = (bound: BoundPage, kind: "shown" | "sent", context: PageContext): Endpoint => ({
  operation: operationOf(bound.page, kind),
  prepare: (raw) => ({
    tasks: 1,
    execute: async (signal) => {
      const { id, headers, sourceAddress, basePath } = raw;
      const opened = await openVisit(
        bound.page,
        raw,
        { id, headers, sourceAddress, basePath, signal },
        context,
      );
      const { visit } = opened;
      const response = async (): Promise<PageResponse> => {
        if (!isFor(bound.page, visit)) throw new AppError("unauthenticated");
        if (bound.page.audience === "operators") {
          if (!isOperator(visit)) return refuseVisit(visit);
          if (requiresSecondFactor(visit.account)) return redirect(setUpPath(visit.here));
          if (!visit.session.start.showedFactor) return redirect(codePath(visit.here));
        }
        return kind === "shown" ? bound.show(visit) : submitForm(bound, opened, raw.body);
      };
      try {
        return send(await response(), bound, opened, context.site);
      } catch (error) {
        const isToLogIn = error instanceof AppError && error.code === "unauthenticated" && visit.wantsHtml;
        if (!isToLogIn) throw error;
        return send(redirect(logInPath(visit.here)), bound, opened, context.site);
      }
    },
  }),
});

/** @throws Error when two pages have the same name. */
const requireDistinct = (names: readonly string[]): void => {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two pages of the console are called ${twice}.`);
};

/** The endpoints of pages: GET for each, POST for those with a form. @throws Error when two share a path or an id. */
export const pageEndpoints = (pages: readonly BoundPage[], context: PageContext): Endpoint[] => {
  requireDistinct(pages.map(({ page }) => page.id));
  requireDistinct(pages.map(({ page }) => page.path));
  return pages.flatMap((bound) => [
    endpointOf(bound, "shown", context),
    ...(bound.submit ? [endpointOf(bound, "sent", context)] : []),
  ]);
};
