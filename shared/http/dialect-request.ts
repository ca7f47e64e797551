import { dialectOf } from "../platform/errors/error-body.ts";
import { readFormOfGet, readRequestBody } from "./parse-body.ts";
import type { HttpMiddleware, HttpRequest } from "./request.ts";

const isBearer = (authorization: string | undefined): boolean => /^Bearer +\S/i.test(authorization ?? "");

/** Returns the `api_key` among the parameters of a query or a body. */
const apiKeyIn = (parameters: unknown): string | undefined => {
  if (typeof parameters !== "object" || parameters === null || !("api_key" in parameters)) return undefined;
  const { api_key: key } = parameters;
  return typeof key === "string" && key !== "" ? key : undefined;
};

/**
 * Returns the `Authorization` of a request in our own form. Clients of the APIs of others send their key as those APIs want it: as
 * `DeepL-Auth-Key`, or for LibreTranslate as a field of the query or the body, which is then read before the limits.
 *
 * @throws AppError as {@link readRequestBody} does.
 */
export const authorizationOf = async (request: HttpRequest): Promise<string | undefined> => {
  const { body, endpoint, headers, queryStringParameters } = request.event;
  const { authorization } = headers;
  const dialect = endpoint && dialectOf(endpoint.operation.path);
  if (dialect === "deepl") return authorization?.replace(/^DeepL-Auth-Key +/i, "Bearer ");
  if (dialect !== "libretranslate" || isBearer(authorization)) return authorization;
  const key = apiKeyIn(queryStringParameters) ?? apiKeyIn(body ? await readRequestBody(request) : undefined);
  return key === undefined ? undefined : `Bearer ${key}`;
};

/** Adds what clients of DeepL send with GET to the query: the one for Python writes it into the body. */
export const readDialectQuery = (): HttpMiddleware => ({
  before: async (request) => {
    const { event } = request;
    const { endpoint, httpMethod, body } = event;
    if (httpMethod !== "GET" || !body || !endpoint || dialectOf(endpoint.operation.path) !== "deepl") return;
    event.queryStringParameters = { ...(await readFormOfGet(request)), ...event.queryStringParameters };
  },
});
