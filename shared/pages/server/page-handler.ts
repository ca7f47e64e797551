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
  {
    further,
    ...options
  }: Pick<HandlerOptions, "limiter" | "metricsNamespace"> & {
    /** Loads pages that few visits begin with, and endpoints for the scripts of pages. */
    readonly further?: () => Promise<{
      readonly pages: readonly BoundPage[];
      readonly endpoints: readonly Endpoint[];
    }>;
  },
) => {
  const site = { ...context.site, isForEveryone: context.sessions === undefined };
  const endpointsOf = (some: readonly BoundPage[]) => pageEndpoints(some, { ...context, site });
  const furtherEndpoints = async (): Promise<readonly Endpoint[]> => {
    const loaded = await further?.();
    return loaded ? [...endpointsOf(loaded.pages), ...loaded.endpoints] : [];
  };
  return createStreamingHandler(endpointsOf(pages), {
    ...options,
    furtherEndpoints,
    headers: commonHeaders(site.baseUrl),
    formatError: formatErrors(site),
  });
};
