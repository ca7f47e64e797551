import type { Tokens } from "../../../shared/accounts/access/tokens.ts";
import { parsed, sentenceOf } from "../../../shared/pages/client/parts/read-response.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { readBytes } from "../../../shared/platform/outbound/http-client.ts";
import { type AttemptName, type AttemptValues, attemptDefinitions, type ChatTurn } from "./attempts.ts";
import { signPageToken } from "./page-token.ts";
import { forward, readAll, relayVisitorAttempt, scopeOf, type VisitorDependencies } from "./visitors.ts";

/** What pages need to send requests for a reader. */
export interface AttemptDependencies extends VisitorDependencies {
  readonly tokens: Pick<Tokens, "sign">;
  /** Requests per day without an account; 0 for none. */
  readonly visitorAttemptsPerDay: number;
}

/** One request, with the input of the form. */
export interface AttemptRequest {
  readonly name: AttemptName;
  readonly values: AttemptValues;
  /** The conversation so far. */
  readonly earlier?: readonly ChatTurn[];
}

/** A response of the API, read to its end. */
export interface AttemptResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Speech of the longest text that a page may send, as MP3. */
const maxResponseBytes = 8 * 1024 * 1024;

const forAccount = async (
  visit: Visit<unknown, "signed-in">,
  request: Parameters<typeof forward>[0],
  { tokens, addresses }: AttemptDependencies,
): Promise<AttemptResponse> => {
  const { access_token: token } = await signPageToken(visit, [scopeOf[request.name]], tokens);
  const response = await forward(request, token, addresses);
  const { statusCode: status = 502, headers } = response;
  const body = await readBytes(response, maxResponseBytes);
  return { status, contentType: headers["content-type"] ?? "application/json", body };
};

const forVisitor = async (
  request: Parameters<typeof relayVisitorAttempt>[0],
  dependencies: AttemptDependencies,
): Promise<AttemptResponse> => {
  if (dependencies.visitorAttemptsPerDay === 0) throw new AppError("unauthenticated");
  const { status, contentType, body } = await relayVisitorAttempt(request, dependencies);
  return { status, contentType, body: await readAll(body) };
};

/**
 * Sends a request of a page whose script does not run, for the account or for a visitor. It counts in their quota.
 *
 * @returns the response of the API, also when it is an error.
 * @throws AppError `unauthenticated` where visitors may send none, and those of `relayVisitorAttempt`.
 */
export const runAttempt = async (
  visit: Visit,
  { name, values, earlier }: AttemptRequest,
  dependencies: AttemptDependencies,
): Promise<AttemptResponse> => {
  const { body } = attemptDefinitions[name].request(values, dependencies.addresses, earlier, false);
  if (body?.kind !== "json") throw new AppError("not_found");
  const { signal, sourceAddress } = visit.request;
  const request = {
    ...{ name, signal },
    contentType: "application/json",
    body: Buffer.from(JSON.stringify(body.value)),
  };
  const { account, session } = visit;
  return account && session
    ? forAccount({ ...visit, account, session }, request, dependencies)
    : forVisitor({ ...request, sourceAddress }, dependencies);
};

/** The result of an attempt for a page: JSON, or the sentence that says what is wrong. */
export type AttemptResult =
  | { readonly kind: "result"; readonly body: unknown }
  | { readonly kind: "problem"; readonly sentence: string; readonly status: number };

/** What a page shows of a response. @param otherwise the sentence for errors that have none. */
export const readAttempt = ({ status, body }: AttemptResponse, otherwise: string): AttemptResult => {
  const read = parsed(body.toString());
  if (status < 400 && read !== undefined) return { kind: "result", body: read };
  return { kind: "problem", sentence: sentenceOf(read) || otherwise, status: Math.max(status, 400) };
};
