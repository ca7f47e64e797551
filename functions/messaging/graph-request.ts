import type { PlatformSecretSource } from "../../shared/messaging/platform-secrets.ts";
import { requestScope } from "../../shared/telemetry/request-scope.ts";
import { type GraphResponse, readOutcome } from "./graph-outcome.ts";

/** Where the Graph API is. */
export interface GraphApi {
  /** Without the version: `https://graph.facebook.com`. */
  readonly baseUrl: string;
  /** Such as `v26.0`. */
  readonly version: string;
  readonly secrets: PlatformSecretSource;
}

/** The request did not leave this machine, or was not taken: nothing has happened on the other side. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

const notSentCodes: readonly unknown[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

const codeOf = (error: unknown): unknown => {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
};

/** A failed `fetch` as {@link NotSent} where that is certain; otherwise the error as it is. */
const fetchFailure = (error: unknown): unknown =>
  notSentCodes.includes(codeOf(error))
    ? new NotSent("The platform cannot be reached.", { cause: error })
    : error;

const readJson = async (response: Response): Promise<unknown> => {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
};

/** Whether a failure is the platform's own, or about us as a whole, rather than about this one message or its person. */
const isGeneralFailure = (answer: GraphResponse): boolean =>
  answer.status !== 200 && readOutcome(answer).kind !== "refused";

/** Sends a request of the Graph API as a step of the current message: measured with it. */
const exchange = async (url: string, options: RequestInit): Promise<GraphResponse> => {
  const startedAt = performance.now();
  const note = (hasFailed: boolean): void =>
    requestScope()?.backends.noteCall("platform", performance.now() - startedAt, hasFailed);
  try {
    const response = await fetch(url, options);
    const answer = { status: response.status, body: await readJson(response) };
    note(isGeneralFailure(answer));
    return answer;
  } catch (error) {
    note(true);
    throw fetchFailure(error);
  }
};

/** The token goes into the header only: addresses end up in logs. @throws NotSent while no token is filled in. */
export const authorization = async (
  secrets: PlatformSecretSource,
  version: "get" | "reload" = "get",
): Promise<string> => {
  const { current } = await secrets[version]();
  if (current.access_token === undefined) throw new NotSent("There is no access token for the platform.");
  return `Bearer ${current.access_token}`;
};

/**
 * Sends a request to the Graph API; once more with the newest token when the token is refused, which is a definite
 * refusal, so nothing can happen twice.
 *
 * @param path below the version, such as `/1234/messages`
 * @throws NotSent, or what `fetch` throws, when nobody knows what happened.
 */
export const callGraph = async (
  { baseUrl, version, secrets }: GraphApi,
  path: string,
  options: {
    readonly method: "GET" | "POST";
    readonly body?: FormData | object;
    readonly signal: AbortSignal;
  },
): Promise<GraphResponse> => {
  const { method, body, signal } = options;
  const traceparent = requestScope()?.traceparent;
  const send = (token: string): Promise<GraphResponse> =>
    exchange(`${baseUrl}/${version}${path}`, {
      method,
      headers: {
        Authorization: token,
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(body === undefined || body instanceof FormData ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal,
    });
  const token = await authorization(secrets);
  const answer = await send(token);
  if (answer.status !== 401) return answer;
  const newest = await authorization(secrets, "reload");
  return newest === token ? answer : send(newest);
};
