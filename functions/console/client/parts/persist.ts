import { member, parsed, sentenceOf } from "./read.ts";
import type { TokenSource } from "./token.ts";

/** Another try would not help; the message is the service's, and may be empty. */
export class Refused extends Error {
  override readonly name = "Refused";
}

const maxPause = 30_000;

/** Waits, but not after the connection has come back. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });

/** How somebody goes on who has lost their connection: for ever, until they stop. */
export interface Persistence {
  readonly signal: AbortSignal;
  /** A try has failed, and there will be another one. */
  onLost(): void;
}

/** Does something until it succeeds. @throws Refused when another try would not help; what the signal says. */
export const persist = async <Result>(
  attempt: () => Promise<Result>,
  { signal, onLost }: Persistence,
): Promise<Result> => {
  for (let attempts = 0; ; attempts += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || error instanceof Refused) throw error;
      onLost();
      await pause(Math.min(maxPause, 1_000 * 2 ** attempts), signal);
    }
  }
};

/** Whether a refusal passes by itself: a quota that is used up does not. */
const isPassing = (status: number, response: unknown): boolean =>
  status >= 500 || status === 408 || (status === 429 && member(response, "error", "code") === "rate_limited");

const readResponse = async (response: Response): Promise<unknown> => {
  const body = parsed(await response.text());
  if (response.ok) return body;
  if (isPassing(response.status, body)) throw new Error(`The service answered ${response.status}.`);
  throw new Refused(sentenceOf(body));
};

/** Asks the API, as often as it takes. @returns a function that gives answers as JSON. */
export const createApi =
  (api: string, freshToken: TokenSource, persistence: Persistence) =>
  (
    method: "GET" | "POST",
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> =>
    persist(async () => {
      const { signal } = persistence;
      const token = await freshToken(signal);
      if (typeof token !== "string") return readResponse(token);
      return readResponse(
        await fetch(`${api}${path}`, {
          method,
          signal,
          headers: {
            ...headers,
            Authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
    }, persistence);
