import * as z from "zod";
import type { SendOutcome } from "./messaging-platform.ts";

export interface GraphResponse {
  readonly status: number;
  /** The parsed JSON; `undefined` when the body is not JSON. */
  readonly body: unknown;
}

const accepted = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) });
const refused = z.object({ error: z.object({ code: z.int() }) });

/** The platform's code for a message to a person who has not written for 24 hours; only templates are accepted then. */
export const windowClosed = 131_047;

/** Error codes of the Cloud API (reference, "Error codes"), by what we can do about them. */
const codes = {
  /** A rate limit: of the app (4), the business (80007), the number (130429, 131048) or this person (131056). */
  tooFast: [4, 80007, 130429, 131048, 131056, 133016],
  /** Our own configuration: the token (0, 190), permissions (3, 10, 200 to 299), the account (131031, 131042). */
  configuration: [0, 3, 10, 190, 368, 131005, 131031, 131042],
  /**
   * The person: wrote more than 24 hours ago, is undeliverable (131026), is not an allowed recipient (131030), is blocked
   * by the platform (131049, 130472), has opted out (131050), or needs a phone number (131062).
   */
  unreachable: [131026, 131030, windowClosed, 131049, 131050, 130472, 131021, 131062],
  /** The platform itself. The message may have been sent. */
  temporary: [1, 2, 131000, 131016, 133004],
} as const satisfies Record<string, readonly number[]>;

const has = (list: readonly number[], code: number): boolean => list.includes(code);

/** The limit per person is about one message in six seconds. The other limits cover longer times. */
const pairRate = 131056;
const pairRateSeconds = 10;
const otherRateSeconds = 30;
const configurationSeconds = 60;

/** Interprets the platform's response to a message. */
export const readOutcome = ({ status, body }: GraphResponse): SendOutcome => {
  if (status === 200) {
    const id = accepted.safeParse(body).data?.messages[0]?.id;
    return id === undefined ? { kind: "unknown" } : { kind: "accepted", id };
  }
  const code = refused.safeParse(body).data?.error.code ?? -1;
  if (has(codes.tooFast, code) || status === 429) {
    return { kind: "postponed", seconds: code === pairRate ? pairRateSeconds : otherRateSeconds, code };
  }
  if (has(codes.unreachable, code)) return { kind: "refused", reason: "unreachable", code };
  if (has(codes.configuration, code) || (code >= 200 && code <= 299) || status === 401 || status === 403) {
    return { kind: "postponed", seconds: configurationSeconds, code };
  }
  if (has(codes.temporary, code) || status >= 500 || code === -1) return { kind: "unknown" };
  return { kind: "refused", reason: "content", code };
};

/** Whether the platform refuses this one request for good. Other failures are its own, or concern all our requests. */
export const isRefusal = (response: GraphResponse): boolean =>
  response.status === 404 || response.status === 410 || readOutcome(response).kind === "refused";
