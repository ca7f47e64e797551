import type { Endpoint } from "../../http/endpoint.ts";
import { createStreamingHandler, type HandlerOptions } from "../../http/pipeline.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { sendAsset } from "./assets.ts";
import { definePage } from "./define-page.ts";
import { formatErrors } from "./error-page.tsx";
import { commonHeaders } from "./headers.ts";
import { assetsPath } from "./links.ts";
import type { PageContext } from "./open-visit.ts";
import { type BoundPage, page } from "./page.ts";
import { pageEndpoints } from "./page-endpoints.ts";
import type { Site } from "./render.tsx";

const assetPage = definePage({ id: "asset", path: assetsPath, audience: "everybody", title: () => "" });

const assetPages = ({ assets }: Pick<Site, "assets">): BoundPage =>
  page(assetPage, {
    show: ({ path, request }) => {
      const sent = sendAsset(assets, path["file"] ?? "", request.headers["accept-encoding"]);
      if (!sent) throw new AppError("not_found");
      return sent;
    },
  });

/** The function of the console: pages, their files, and errors as pages. */
export const createPageHandler = (
  pages: readonly BoundPage[],
  context: PageContext,
  options: Pick<HandlerOptions, "limiter" | "metricsNamespace"> & {
    /** Endpoints for the scripts of pages. */
    readonly endpoints?: readonly Endpoint[];
  },
) =>
  createStreamingHandler(
    [...pageEndpoints([assetPages(context.site), ...pages], context), ...(options.endpoints ?? [])],
    {
      ...options,
      headers: commonHeaders(context.site.baseUrl),
      formatError: formatErrors(context.site),
    },
  );
