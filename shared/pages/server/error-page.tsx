import type { HttpResponse } from "../../http/exchange.ts";
import { wantsPage } from "../../http/html.ts";
import type { HttpEvent } from "../../http/request.ts";
import { errorResponse } from "../../http/respond-error.ts";
import type { AppError } from "../../platform/errors/app-error.ts";
import type { Texts } from "../texts/languages.ts";
import { fill } from "../texts/languages.ts";
import { Outcome } from "../view/outcome.tsx";
import { pageHeaders } from "./headers.ts";
import { linksUnder } from "./links.ts";
import { languageFor, renderPage, type Site } from "./render.tsx";

const wordsFor = (
  error: AppError,
  { errorPages }: Texts,
): { readonly title: string; readonly text: string } => {
  if (error.status === 403) return errorPages.forbidden;
  if (error.status === 404) return errorPages.notFound;
  if (error.status === 405) return errorPages.wrongMethod;
  if (error.status === 429) return errorPages.tooMany;
  if (error.status === 503) return errorPages.unavailable;
  return error.status >= 500 ? errorPages.internal : errorPages.unreadable;
};

/** Whether the same request may be accepted later. */
const mayPass = ({ status }: AppError): boolean => status === 429 || status >= 500;

/** A way on: the same page again, or the home page. */
const actionFor = (
  error: AppError,
  { httpMethod }: HttpEvent,
  { errorPages }: Texts,
  { baseUrl }: Site,
): { readonly href: string; readonly words: string } =>
  mayPass(error) && httpMethod === "GET"
    ? // The same address, with its query.
      { href: "", words: errorPages.retry }
    : { href: linksUnder(baseUrl)("/"), words: errorPages.home };

/** Responds to errors: a page for browsers, JSON for programs. */
export const formatErrors =
  (site: Site) =>
  (error: AppError, event: HttpEvent): HttpResponse => {
    const { headers, queryStringParameters: query, requestId, resource } = event;
    const response = errorResponse(error, event);
    if (!wantsPage(headers["accept"])) return response;
    const { language, texts } = languageFor(headers, site, query?.["language"]);
    const { title, text } = wordsFor(error, texts);
    const content = (
      <>
        <Outcome
          {...(error.status === 404 ? {} : { icon: "problem" })}
          title={title}
          action={actionFor(error, event, texts, site)}
        >
          {fill(text, { seconds: error.retryAfterSeconds ?? 60 })}
        </Outcome>
        {/* There is nothing to look for behind a wrong address. */}
        {error.status !== 404 && (
          <p class="beneath small faint">{fill(texts.errorPages.requestId, { id: requestId })}</p>
        )}
      </>
    );
    const frame = {
      ...{ title, texts, language, path: resource, username: undefined, formToken: "" },
      shell: "solo" as const,
    };
    return {
      statusCode: error.status,
      headers: {
        ...response.headers,
        ...pageHeaders({}, site),
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
      },
      body: renderPage(frame, content, site),
    };
  };
