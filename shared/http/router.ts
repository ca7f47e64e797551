import { AppError } from "../platform/errors/app-error.ts";
import { unknownPath } from "../platform/errors/error-body.ts";
import type { Endpoint } from "./exchange.ts";
import { supportedMethods } from "./operation.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";
import { logReceived } from "./request-log.ts";

type Target = Pick<HttpEvent, "httpMethod" | "resource">;

/** Loads endpoints that few requests use. */
export type FurtherEndpoints = () => Promise<readonly Endpoint[]>;

export interface Router {
  /** @throws AppError `not_found` or `unknown_url`, or `method_not_allowed` with `Allow`. */
  find(target: Target): Promise<Endpoint>;
  /** The methods of a resource, `OPTIONS` among them. @throws AppError `not_found` or `unknown_url`. */
  methods(target: Target): Promise<string[]>;
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

/** Returns what finds the endpoints of a resource. */
const findIn = (endpoints: readonly Endpoint[]): ((resource: string) => Endpoint[] | undefined) => {
  const byResource = Map.groupBy(endpoints, ({ operation }) => String(operation.path));
  const described = [...byResource.keys()].filter((path) => path.includes("{"));
  // Function URLs and `{proxy+}` paths are not matched before: the resource is the path itself.
  return (resource) =>
    byResource.get(resource) ??
    byResource.get(described.find((path) => matchPath(path, resource)) ?? resource);
};

/** @param further is called once, with the first request for a path that none of `endpoints` has. */
export const createRouter = (endpoints: readonly Endpoint[], further: FurtherEndpoints): Router => {
  const findLoaded = findIn(endpoints);
  let loading: Promise<ReturnType<typeof findIn>> | undefined;
  const findFurther = async (resource: string): Promise<Endpoint[] | undefined> => {
    loading ??= further().then(findIn);
    return (await loading)(resource);
  };
  const candidates = async ({ resource }: Target): Promise<Endpoint[]> => {
    const found = findLoaded(resource) ?? (await findFurther(resource));
    if (!found) throw unknownPath(resource);
    return found;
  };
  const methods = async (target: Target) =>
    supportedMethods((await candidates(target)).map(({ operation }) => operation.method));
  return {
    find: async (target) => {
      const wanted = target.httpMethod === "HEAD" ? "GET" : target.httpMethod;
      const found = (await candidates(target)).find(({ operation }) => operation.method === wanted);
      if (found) return found;
      throw new AppError("method_not_allowed", { headers: { Allow: (await methods(target)).join(", ") } });
    },
    methods,
  };
};

/** Finds the endpoint of a request, and has it logged if it takes long, whether there is one or not. */
export const routeRequest = (router: Router): HttpMiddleware => ({
  before: async ({ event }) => {
    try {
      event.endpoint = await router.find(event);
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
