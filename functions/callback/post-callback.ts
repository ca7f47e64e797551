import { lookup as resolveName } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { BackendUnreachable } from "../../shared/platform/outbound/failures.ts";
import { sendRequest } from "../../shared/platform/outbound/http-client.ts";
import { raceDeadline } from "../../shared/platform/outbound/timeouts.ts";
import {
  type CallbackRules,
  callbackUrlProblem,
  hostOf,
  mayBeCalled,
} from "../../shared/recordings/callbacks/callback-url.ts";

/** Why there was no response to a callback, as a message for its account. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";
}

export interface OutgoingCallback {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostOptions extends CallbackRules {
  /** Aborts at the latest when the receiver's time has passed. */
  readonly signal: AbortSignal;
  readonly resolve?: (name: string) => Promise<readonly { address: string; family: number }[]>;
}

const resolveAll = (name: string) => resolveName(name, { all: true });

/** The addresses of a host. @throws CallbackError unless all of them are public: a private one is never there by accident. */
const addressesOf = async (url: URL, host: string, { resolve = resolveAll, ...rules }: PostOptions) => {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new CallbackError("The host name has no address.");
  if (!addresses.every(({ address }) => mayBeCalled(address, url, rules))) {
    throw new CallbackError("The host name has an address that is not on the public internet.");
  }
  return addresses;
};

/** Returns the addresses that were checked, so a name cannot lead elsewhere when the connection opens. */
const pinned =
  (addresses: readonly { address: string; family: number }[]): LookupFunction =>
  (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };

/** Describes a failed connection without the words of the other side. */
const sentenceOf = (thrown: unknown): string => {
  const error = thrown instanceof BackendUnreachable ? thrown.cause : thrown;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return `The receiver's certificate is not valid (${code}).`;
  }
  if (code === "EPROTO") return "The receiver does not support TLS, which https requires (EPROTO).";
  return /^[A-Z][A-Z_]+$/.test(code)
    ? `The receiver could not be reached (${code}).`
    : "The receiver could not be reached.";
};

/**
 * Sends a callback to a public address, which stays the same for the connection. Does not follow redirects.
 *
 * @returns the status of the receiver's response.
 * @throws CallbackError when there was no response.
 */
export const postCallback = async (callback: OutgoingCallback, options: PostOptions): Promise<number> => {
  const { signal } = options;
  const problem = callbackUrlProblem(callback.url, options);
  if (problem) throw new CallbackError(problem);
  const url = new URL(callback.url);
  const host = hostOf(url);
  try {
    return await raceDeadline(signal, async () => {
      // Nothing resolves the name of a host that is an address.
      const lookup = pinned(isIP(host) > 0 ? [] : await addressesOf(url, host, options));
      const request = { url, method: "POST", headers: callback.headers, body: callback.body } as const;
      const response = await sendRequest({ ...request, lookup, signal, silenceMilliseconds: undefined });
      // Only the status matters; the body could have any length.
      response.once("error", () => undefined).destroy();
      return response.statusCode ?? 0;
    });
  } catch (error) {
    if (error instanceof CallbackError) throw error;
    throw new CallbackError(signal.aborted ? "The receiver did not respond in time." : sentenceOf(error), {
      cause: error,
    });
  }
};
