import { lookup as resolveName } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { raceDeadline } from "../../shared/platform/outbound/timeouts.ts";
import {
  type CallbackRules,
  callbackUrlProblem,
  hostOf,
  mayBeCalled,
} from "../../shared/recordings/callbacks/callback-url.ts";

/** Why a callback did not get an answer, as a sentence for the account that it belongs to. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";
}

/** A callback, ready to be sent. */
export interface OutgoingCallback {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a callback is sent. */
export interface PostOptions extends CallbackRules {
  /** Ends the sending, at the latest when the receiver has had its time. */
  readonly signal: AbortSignal;
  /** Every address of a name. */
  readonly resolve?: (name: string) => Promise<readonly { address: string; family: number }[]>;
}

const resolveAll = (name: string) => resolveName(name, { all: true });

/**
 * The addresses that a host may be called at.
 *
 * All of them have to be public: a name that leads to a private one as well is not used by accident.
 */
const addressesOf = async (host: string, { resolve = resolveAll, ...rules }: PostOptions) => {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new CallbackError("The name of the receiver has no address.");
  if (!addresses.every(({ address }) => mayBeCalled(address, rules))) {
    throw new CallbackError(
      "The name of the receiver leads to an address that is not of the public internet.",
    );
  }
  return addresses;
};

/** Answers with what was looked at before, so that a name cannot lead elsewhere the second time. */
const pinned =
  (addresses: readonly { address: string; family: number }[]): LookupFunction =>
  (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };

/** What went wrong with a connection, without what the other side said. */
const sentenceOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return `The certificate of the receiver is not valid (${code}).`;
  }
  if (code === "EPROTO") return "The receiver does not speak TLS, which https needs (EPROTO).";
  return /^[A-Z][A-Z_]+$/.test(code)
    ? `The receiver could not be reached (${code}).`
    : "The receiver could not be reached.";
};

const exchange = (
  url: URL,
  callback: OutgoingCallback,
  lookup: LookupFunction | undefined,
  signal: AbortSignal,
) =>
  new Promise<number>((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const body = Buffer.from(callback.body);
    const outgoing = request(url, {
      method: "POST",
      headers: { ...callback.headers, "content-length": String(body.length) },
      agent: false,
      signal,
      ...(lookup ? { lookup } : {}),
    });
    outgoing.once("response", (response) => {
      // Only the status matters; what else the receiver says could be any number of bytes.
      response.once("error", () => undefined).destroy();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });

/**
 * Sends a callback: to no other than a public address, which is pinned for the connection, and wherever the answer redirects
 * to, not there.
 *
 * @returns the status that the receiver answered with.
 * @throws CallbackError when there was no answer.
 */
export const postCallback = async (callback: OutgoingCallback, options: PostOptions): Promise<number> => {
  const { signal } = options;
  const problem = callbackUrlProblem(callback.url, options);
  if (problem) throw new CallbackError(problem);
  const url = new URL(callback.url);
  const host = hostOf(url);
  try {
    return await raceDeadline(signal, async () => {
      const lookup = isIP(host) > 0 ? undefined : pinned(await addressesOf(host, options));
      return exchange(url, callback, lookup, signal);
    });
  } catch (error) {
    if (error instanceof CallbackError) throw error;
    throw new CallbackError(signal.aborted ? "The receiver did not answer in time." : sentenceOf(error), {
      cause: error,
    });
  }
};
