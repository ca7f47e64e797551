import { member, parsed, sentenceOf } from "../../../../shared/pages/client/parts/read-response.ts";
import type { TokenSource } from "../../../../shared/pages/client/parts/token.ts";

/** Retrying would not help. The message is the service's and may be empty. */
export class Refused extends Error {
  override readonly name = "Refused";
}

const maxPauseMilliseconds = 30_000;

/** Waits until the time has passed or the connection is back. */
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

/** Retries without end, until the signal aborts. */
export interface Persistence {
  readonly signal: AbortSignal;
  /** An attempt failed and another will follow. */
  onLost(): void;
}

/** Repeats an attempt until it succeeds. @throws Refused when retrying would not help; the reason of the signal. */
export const persist = async <Result>(
  attempt: () => Promise<Result>,
  { signal, onLost }: Persistence,
): Promise<Result> => {
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || error instanceof Refused) throw error;
      onLost();
      await pause(Math.min(maxPauseMilliseconds, 1_000 * 2 ** failures), signal);
    }
  }
};

/** Whether a retry can help: not when a quota is used up. */
const isTemporary = (status: number, body: unknown): boolean =>
  status >= 500 || status === 408 || (status === 429 && member(body, "error", "code") === "rate_limited");

const readResponse = async (response: Response): Promise<unknown> => {
  const body = parsed(await response.text());
  if (response.ok) return body;
  if (isTemporary(response.status, body)) throw new Error(`The service returned ${response.status}.`);
  throw new Refused(sentenceOf(body));
};

/** Calls the API and retries as `persist` does. @returns a function that returns JSON. */
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
