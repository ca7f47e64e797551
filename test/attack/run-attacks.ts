import type { Attack, Means, Target } from "./attack.ts";

/** Why an attack is left out, by what it needs and the attacker does not have. */
const reasons: Readonly<Record<Means, string>> = {
  mails: "the mails of this service cannot be read from here",
  messages: "the messages of this service cannot be read from here",
  models: "the models of this service are not ours",
  table: "this service's table cannot fail on request from here",
  addresses: "requests cannot be sent from a second address",
  "log-ins": "this service allows too few logins a minute from one address",
  events: "functions of this service cannot be invoked from here",
  operator: "the accounts of this service cannot be disabled from here",
};

/** How many attacks came to what. */
export interface AttackSummary {
  readonly withstood: number;
  readonly leftOut: number;
  readonly succeeded: number;
}

const line = (number: number, result: string, name: string, figure: string): string =>
  `${String(number).padStart(2)}  ${result.padEnd(9)}  ${name}: ${figure}`;

/**
 * Runs attacks one after the other, so that none is measured while another one runs, and reports the outcome of each.
 *
 *
 * @param say gets a line for each attack.
 */
export const runAttacks = async (
  attacks: readonly Attack[],
  target: Target,
  say: (text: string) => void,
): Promise<AttackSummary> => {
  const summary = { withstood: 0, leftOut: 0, succeeded: 0 };
  for (const { number, name, needs = [], attempt } of attacks) {
    const missing = needs.find((means) => !target.means.has(means));
    if (missing) {
      summary.leftOut += 1;
      say(line(number, "left out", name, reasons[missing]));
      continue;
    }
    const outcome = await attempt(target).catch((error: unknown) => ({
      result: "succeeded" as const,
      figure: `it could not be completed (${error instanceof Error ? error.message : String(error)})`,
    }));
    if (outcome.result === "succeeded") summary.succeeded += 1;
    else summary.withstood += 1;
    say(line(number, outcome.result === "succeeded" ? "SUCCEEDED" : outcome.result, name, outcome.figure));
  }
  return summary;
};
