import type { PlatformSecretSource } from "../../../shared/messaging/platform-secrets.ts";

/** Where the Graph API is. */
export interface GraphApi {
  /** Without the version: `https://graph.facebook.com`. */
  readonly baseUrl: string;
  /** Such as `v26.0`. */
  readonly version: string;
  readonly secrets: PlatformSecretSource;
}

/** An answer of the Graph API, whatever its status. */
export interface GraphAnswer {
  readonly status: number;
  /** The parsed JSON; `undefined` when the body is none. */
  readonly body: unknown;
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
export const fetchFailure = (error: unknown): unknown =>
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
): Promise<GraphAnswer> => {
  const { method, body, signal } = options;
  const send = async (token: string): Promise<Response> => {
    try {
      return await fetch(`${baseUrl}/${version}${path}`, {
        method,
        headers: {
          Authorization: token,
          ...(body === undefined || body instanceof FormData ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
        redirect: "manual",
        signal,
      });
    } catch (error) {
      throw fetchFailure(error);
    }
  };
  const token = await authorization(secrets);
  let response = await send(token);
  if (response.status === 401) {
    const newest = await authorization(secrets, "reload");
    if (newest !== token) {
      await response.body?.cancel();
      response = await send(newest);
    }
  }
  return { status: response.status, body: await readJson(response) };
};
