import { wantsPage } from "../../../shared/http/html.ts";
import type { HttpEvent } from "../../../shared/http/request.ts";
import { errorResponse } from "../../../shared/http/respond-error.ts";
import type { HttpResponse } from "../../../shared/http/response.ts";
import type { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { Texts } from "../texts/languages.ts";
import { fill } from "../texts/languages.ts";
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

/** Responds to errors: a page for browsers, JSON for programs. */
export const formatErrors =
  (site: Site) =>
  (error: AppError, event: HttpEvent): HttpResponse => {
    const { headers, requestId, resource } = event;
    const response = errorResponse(error, event);
    if (!wantsPage(headers["accept"])) return response;
    const url = linksUnder(site.baseUrl);
    const { language, texts } = languageFor(headers, site);
    const { title, text } = wordsFor(error, texts);
    const content = (
      <>
        <h1>{title}</h1>
        <p>{fill(text, { seconds: error.retryAfterSeconds ?? 60 })}</p>
        <p>
          <a href={url("/")}>{texts.errorPages.home}</a>
        </p>
        <p class="soft">{fill(texts.errorPages.requestId, { id: requestId })}</p>
      </>
    );
    const frame = { title, texts, language, path: resource, username: undefined, formToken: "" };
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
