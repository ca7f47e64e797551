import * as z from "zod";
import type { SendOutcome } from "./messaging-platform.ts";

/** A response of the Graph API, whatever its status. */
export interface GraphResponse {
  readonly status: number;
  /** The parsed JSON; `undefined` when the body is none. */
  readonly body: unknown;
}

const accepted = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) });
const refused = z.object({ error: z.object({ code: z.int() }) });

/** Error codes of the Cloud API (reference, "Error codes"), by what can be done about them. */
const codes = {
  /** Too much at once: for the app (4), the business (80007), the number (130429, 131048), this person (131056). */
  tooFast: [4, 80007, 130429, 131048, 131056, 133016],
  /** Something of ours to be put right: the token (0, 190), permissions (3, 10, 200 to 299), the account (131031, 131042). */
  configuration: [0, 3, 10, 190, 368, 131005, 131031, 131042],
  /**
   * The person: more than 24 hours since they wrote (131047), cannot be delivered (131026), not allowed as a recipient
   * (131030), held back by the platform (131049, 130472) or by themselves (131050), only by phone number (131062).
   */
  unreachable: [131026, 131030, 131047, 131049, 131050, 130472, 131021, 131062],
  /** The platform itself; whether the message went out is open. */
  temporary: [1, 2, 131000, 131016, 133004],
} as const satisfies Record<string, readonly number[]>;

const has = (list: readonly number[], code: number): boolean => list.includes(code);

/** The pair of numbers takes one message in about six seconds; the other limits are measured over longer times. */
const pairRate = 131056;
const pairRateSeconds = 10;
const otherRateSeconds = 30;
const configurationSeconds = 60;

/** What the platform's response to a message means. */
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

/** Whether the platform refuses this one request for good; anything else is its own failure, or about us as a whole. */
export const isRefusal = (response: GraphResponse): boolean =>
  response.status === 404 || response.status === 410 || readOutcome(response).kind === "refused";
