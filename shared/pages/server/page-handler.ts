import type { Endpoint } from "../../http/exchange.ts";
import { createStreamingHandler, type HandlerOptions } from "../../http/pipeline.ts";
import { formatErrors } from "./error-page.tsx";
import { commonHeaders } from "./headers.ts";
import type { PageContext } from "./open-visit.ts";
import type { BoundPage } from "./page.ts";
import { pageEndpoints } from "./page-endpoints.ts";

/** A function with pages, and errors as pages. Without sessions in the context, its pages are the same for everyone. */
export const createPageHandler = (
  pages: readonly BoundPage[],
  context: PageContext,
  options: Pick<HandlerOptions, "limiter" | "metricsNamespace"> & {
    /** Endpoints for the scripts of pages. */
    readonly endpoints?: readonly Endpoint[];
  },
) => {
  const site = { ...context.site, isForEveryone: context.sessions === undefined };
  return createStreamingHandler(
    [...pageEndpoints(pages, { ...context, site }), ...(options.endpoints ?? [])],
    { ...options, headers: commonHeaders(site.baseUrl), formatError: formatErrors(site) },
  );
};
