import { AppError } from "../platform/errors/app-error.ts";
import { unknownPath } from "../platform/errors/error-body.ts";
import type { Endpoint } from "./exchange.ts";
import { supportedMethods } from "./operation.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";
import { logReceived } from "./request-log.ts";

type Target = Pick<HttpEvent, "httpMethod" | "resource">;

export interface Router {
  /** @throws AppError `not_found` or `unknown_url`, or `method_not_allowed` with `Allow`. */
  find(target: Target): Endpoint;
  /** The methods of a resource, `OPTIONS` among them. @throws AppError `not_found` or `unknown_url`. */
  methods(target: Target): string[];
}

/** The parameters of a path that matches an operation's path; `undefined` when it does not match. */
const matchPath = (described: string, path: string): Record<string, string> | undefined => {
  const names = described.split("/");
  const values = path.split("/");
  if (names.length !== values.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? "";
    const parameter = /^\{(?<name>\w+)\}$/.exec(name)?.groups?.["name"];
    if (parameter === undefined ? name !== value : value === "") return undefined;
    if (parameter !== undefined) parameters[parameter] = decodePart(value);
  }
  return parameters;
};

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

export const createRouter = (endpoints: readonly Endpoint[]): Router => {
  const byResource = Map.groupBy(endpoints, ({ operation }) => String(operation.path));
  const described = [...byResource.keys()].filter((path) => path.includes("{"));
  const candidates = ({ resource }: Target): Endpoint[] => {
    // Function URLs and `{proxy+}` paths are not matched before: the resource is the path itself.
    const found =
      byResource.get(resource) ??
      byResource.get(described.find((path) => matchPath(path, resource)) ?? resource);
    if (!found) throw unknownPath(resource);
    return found;
  };
  const methods = (target: Target) =>
    supportedMethods(candidates(target).map(({ operation }) => operation.method));
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
      const { path } = event.endpoint.operation;
      if (path !== event.resource) {
        event.pathParameters = matchPath(path, event.resource) ?? null;
        event.resource = path;
      }
    } finally {
      logReceived(event);
    }
  },
});
