import { AppError } from "../errors/app-error.ts";
import type { Endpoint } from "./endpoint.ts";
import { answeredMethods } from "./operation.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";
import { logReceived } from "./request-log.ts";

type Target = Pick<HttpEvent, "httpMethod" | "resource">;

/** Finds the endpoint for a method and a resource. */
export interface Router {
  /** @throws AppError `not_found`, or `method_not_allowed` with `Allow`. */
  find(target: Target): Endpoint;
  /** The methods a resource answers, `OPTIONS` among them. @throws AppError `not_found`. */
  methods(target: Target): string[];
}

/** A router over a function's endpoints. */
export const createRouter = (endpoints: readonly Endpoint[]): Router => {
  const byResource = Map.groupBy(endpoints, ({ operation }) => String(operation.path));
  const candidates = ({ resource }: Target): Endpoint[] => {
    const found = byResource.get(resource);
    if (!found) throw new AppError("not_found");
    return found;
  };
  const methods = (target: Target) =>
    answeredMethods(candidates(target).map(({ operation }) => operation.method));
  return {
    find: (target) => {
      const wanted = target.httpMethod === "HEAD" ? "GET" : target.httpMethod;
      const found = candidates(target).find(({ operation }) => operation.method === wanted);
      if (found) return found;
      throw new AppError("method_not_allowed", { headers: { Allow: methods(target).join(", ") } });
    },
    methods,
  };
};

/** Finds the endpoint of a request, and writes the request's first line into the log whether there is one or not. */
export const routeRequest = (router: Router): HttpMiddleware => ({
  before: ({ event }) => {
    try {
      event.endpoint = router.find(event);
    } finally {
      logReceived(event);
    }
  },
});
