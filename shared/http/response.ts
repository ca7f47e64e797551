import { commonResponseHeaders } from "./cors.ts";
import type { BodyChunks, HttpResponse } from "./exchange.ts";
import { limitHeaders } from "./limit-requests.ts";
import type { Deprecation, Operation } from "./operation.ts";
import { basePathOf, type HttpMiddleware, type HttpRequest } from "./request.ts";

/** A body of one chunk. */
export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** A response that is not its operation's JSON: a page, audio, a stream, or an error in a format of its own. */
export class Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: string | BodyChunks;

  constructor(options: {
    readonly status?: number;
    readonly contentType: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly cookies?: readonly string[];
    readonly body: string | BodyChunks;
  }) {
    this.status = options.status ?? 200;
    this.contentType = options.contentType;
    this.headers = options.headers ?? {};
    this.cookies = options.cookies ?? [];
    this.body = options.body;
  }
}

/** The result of an operation together with headers of its own. */
export class ReplyWithHeaders<Result> {
  readonly result: Result;
  readonly headers: Readonly<Record<string, string>>;

  constructor(result: Result, headers: Readonly<Record<string, string>>) {
    this.result = result;
    this.headers = headers;
  }
}

/**
 * A result as JSON, through its operation's response schema: fields that the schema does not name are dropped, so a
 * stored secret cannot be sent by mistake.
 *
 * @throws Error with the paths of the problems, never the values, when the result does not match the declaration.
 */
const declaredJson = ({ id, response }: Operation, result: unknown): string => {
  const parsed = response.schema.safeParse(result);
  if (parsed.success) return JSON.stringify(parsed.data);
  const problems = parsed.error.issues.map(({ path, code }) => `${path.join(".") || "(all of it)"}: ${code}`);
  throw new Error(`The result of ${id} breaks its response schema. ${problems.join("; ")}`);
};

/** Converts the result of an operation's use case to a response. @throws Error as `declaredJson` does. */
export const toResponse = (operation: Operation, given: unknown): HttpResponse => {
  if (given instanceof Reply) {
    const isFile = "Content-Disposition" in given.headers;
    if (given.status < 400 && given.contentType.startsWith("application/json") && !isFile) {
      throw new Error(
        `JSON must match the response schema of ${operation.id}: return a result, not a Reply.`,
      );
    }
    const headers = { ...given.headers, "Content-Type": given.contentType };
    const { status: statusCode, cookies, body } = given;
    return { statusCode, headers, ...(cookies.length > 0 ? { cookies } : {}), body };
  }
  if (operation.response.status === 204 && given === null) {
    return { statusCode: 204, headers: {}, body: "" };
  }
  const { result, headers } = given instanceof ReplyWithHeaders ? given : new ReplyWithHeaders(given, {});
  return {
    statusCode: operation.response.status,
    headers: { ...headers, "Content-Type": "application/json" },
    body: declaredJson(operation, result),
  };
};

/** RFC 9745 with its link relation, RFC 8594, and the link relation of RFC 5829. */
const deprecationHeaders = (
  { since, sunset, successor, guide }: Deprecation,
  basePath: string,
): Record<string, string> => ({
  Deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
  Sunset: sunset.toUTCString(),
  Link: `<${basePath}${guide}>; rel="deprecation"; type="text/html", <${basePath}${successor}>; rel="successor-version"`,
});

const addHeaders = ({ event, response }: HttpRequest, common: Readonly<Record<string, string>>): void => {
  if (!response) return;
  const { confidential, deprecated, variesBy } = event.endpoint?.operation ?? {};
  response.headers = {
    ...common,
    ...(confidential ? { "Cache-Control": "no-store" } : {}),
    ...(variesBy ? { Vary: Object.keys(variesBy.shape).join(", ") } : {}),
    ...(deprecated ? deprecationHeaders(deprecated, basePathOf(event)) : {}),
    "X-Request-Id": event.requestId,
    ...(event.admission ? limitHeaders(event.admission.statuses) : {}),
    ...response.headers,
  };
};

/** A body that no one will read is not produced: a generator that has not started ends without doing anything. */
const leaveOutBody = ({ event, response }: HttpRequest): void => {
  if (!response || event.httpMethod !== "HEAD") return;
  const { body } = response;
  response.body = "";
  if (typeof body === "string") return;
  if ("stop" in body) body.stop();
  else void body[Symbol.asyncIterator]().return?.();
};

/** HEAD gets the response of GET without the body (RFC 9110, section 9.3.2). */
export const responseHead = (): HttpMiddleware => ({ after: leaveOutBody, onError: leaveOutBody });

/** Adds the headers of every response, also to errors. */
export const responseHeaders = (
  common: Readonly<Record<string, string>> = commonResponseHeaders,
): HttpMiddleware => {
  const add = (request: HttpRequest): void => addHeaders(request, common);
  return { after: add, onError: add };
};
