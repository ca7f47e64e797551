import * as z from "zod";
import type { Operation } from "../../shared/http/operation.ts";
import { codeOf, errorBody, errorBodyOf, oauthErrorBody, problemsOf } from "../support/declared.ts";
import type { WireResponse } from "../support/wire.ts";
import { marker } from "./junk.ts";

/** Stack traces, and paths in a file system or a bundle. */
const internals =
  /\bat \S+ \(|node:internal|node_modules|\/(?:var|home|root|tmp|work|usr)\/|\.[cm]?[jt]s:\d+/;

/** What a response must not repeat, in addition to the markers in the request. */
export interface Secrets {
  readonly token: string;
  readonly password: string;
}

/** These say which name they do not know, so that its sender can correct it. */
const namingCodes: ReadonlySet<string> = new Set([
  "unsupported_language",
  "unknown_language",
  "invalid_speaker",
  "invalid_speaker_for_language",
  "unknown_model",
  "unsupported_parameter",
]);
const namesWhatIsUnknown = (body: unknown): boolean => namingCodes.has(codeOf(body) ?? "");

const contentTypeOf = ({ headers }: WireResponse): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Links in mails, which send browsers to a page of the console. */
const mailedLinks: ReadonlySet<string> = new Set(["showVerificationPage", "showResetPage"]);

const sendsBrowserOn = ({ id }: Operation, { status, headers, body }: WireResponse): boolean =>
  status === 303 &&
  mailedLinks.has(id) &&
  headers["location"]?.startsWith("../") === true &&
  body.length === 0;

const checkSuccess = (operation: Operation, received: WireResponse): string[] => {
  const { response } = operation;
  if (sendsBrowserOn(operation, received)) return [];
  const contentType = contentTypeOf(received);
  if (received.status !== response.status)
    return [`status ${received.status} in place of ${response.status}`];
  if (response.status === 204) return received.body.length === 0 ? [] : ["a body where none may be"];
  if (contentType !== "application/json") {
    return response.otherContentTypes?.includes(contentType)
      ? []
      : [`undeclared content type ${contentType}`];
  }
  return problemsOf(response.schema, parse(received.body.toString("utf8"))).map(
    (problem) => `a body that its schema does not allow: ${problem}`,
  );
};

/** An error of JSON-RPC, for messages that are none. */
const jsonRpcErrorBody = z.object({
  jsonrpc: z.literal("2.0"),
  error: z.object({ code: z.int(), message: z.string() }),
  id: z.union([z.string(), z.int(), z.null()]),
});

/**
 * Errors in an operation's own format: OAuth's, JSON-RPC's, or those of the webhook, which describe what happened to the
 * delivery.
 */
const ownErrorBodies = ({ errorFormat, tag, response }: Operation): z.ZodType[] => [
  ...(errorFormat === "oauth" ? [oauthErrorBody] : []),
  ...(tag === "Agents" ? [jsonRpcErrorBody] : []),
  ...(tag === "Messaging" && response.schema instanceof z.ZodObject
    ? [errorBody.extend(response.schema.shape)]
    : []),
];

const checkRefusal = (operation: Operation, response: WireResponse, text: string): string[] => {
  // A page for people, where an operation has one or the path does not exist, is no body that a program reads.
  if (response.status === 404 && contentTypeOf(response) === "text/html") {
    return text.includes(marker) ? [`a rejected value in the page: ${text}`] : [];
  }
  if (contentTypeOf(response) !== "application/json") {
    return operation.response.otherContentTypes?.includes(contentTypeOf(response))
      ? []
      : ["an error that is not JSON"];
  }
  // Refusals by the gateway itself (the body's size, the method) have one format for all routes.
  const body = parse(text);
  const problems = [errorBody, errorBodyOf(operation.path), ...ownErrorBodies(operation)].some(
    (schema) => problemsOf(schema, body).length === 0,
  )
    ? []
    : [`an error of no known form: ${text}`];
  return text.includes(marker) && !namesWhatIsUnknown(body)
    ? [...problems, `a rejected value in the response: ${text}`]
    : problems;
};

/** What callers see of a server that changes the protocol, or that sends nothing but comments. */
const modelFailure = /The model's server returned no usable response\.|The model did not finish within /;

/**
 * The faults of a response; empty when there are none. Models respond well except for the fuzzer's own misbehaviours,
 * which have their own messages, so every other 5xx is the service's fault.
 */
export const judge = (
  operation: Operation,
  method: string,
  response: WireResponse,
  secrets: Secrets,
): string[] => {
  const problems: string[] = [];
  const text = response.body.toString("utf8");
  const isModels = operation.errors.includes("external_service_error") && modelFailure.test(text);
  if (response.status >= 500 && !isModels) problems.push(`status ${response.status}: ${text.slice(0, 500)}`);
  if (!response.headers["x-request-id"]) problems.push("no X-Request-Id");
  if (response.headers["x-content-type-options"] !== "nosniff") problems.push("no X-Content-Type-Options");
  if (text.includes(secrets.password)) problems.push("the account's password in the response");
  if (text.includes(secrets.token)) problems.push("the caller's token in the response");
  if (response.status >= 400 && internals.test(text))
    problems.push(`internals in the response: ${text.slice(0, 500)}`);
  if (method === "HEAD") return problems;
  return response.status < 400
    ? [...problems, ...checkSuccess(operation, response)]
    : [...problems, ...checkRefusal(operation, response, text)];
};

/** What a function's log says when its process died or ran out of time. */
export const deadFunction = /Runtime exited|Task timed out|heap out of memory|The local gateway failed/;
