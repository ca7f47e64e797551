/** What somebody who means harm does, and what must not come of it. */
export interface Attack {
  /** Attacks of one kind have one number, by which they are chosen: `--only 6`. */
  readonly number: number;
  /** What is done, as a sentence's subject: "held" or "refused" completes it. */
  readonly name: string;
  /** What it takes beyond requests to the service. */
  readonly needs?: readonly Means[];
  /** Takes many seconds or sends many megabytes; left out by `--quick`. */
  readonly isLong?: boolean;
  /** @throws Error when the attack cannot be carried out, which counts as a success of it. */
  readonly attempt: (target: Target) => Promise<Outcome>;
}

/**
 * What not every service lets its attacker have: a look at the mails and messages it has sent, models that answer as the
 * attacker wants, a table that fails, requests from several addresses, and more log-ins a minute than an address has.
 */
export type Means = "mails" | "messages" | "models" | "table" | "addresses" | "log-ins";

/** What came of an attack. */
export interface Outcome {
  /** `refused`: the service said no. `held`: it went on as if nothing had been tried. */
  readonly result: "refused" | "held" | "succeeded";
  /** What shows it. */
  readonly figure: string;
}

/** The service that is attacked, and what its attacker has. */
export interface Target {
  readonly url: string;
  readonly means: ReadonlySet<Means>;
  /** Whether the table refuses to count from now on; only with the means "table". */
  readonly failCounters: (isFailing: boolean) => void;
  /** How many bytes of sound the models' server has sent so far; only with the means "models". */
  readonly soundSent: () => number;
  /** How long a model may take in all; only with the means "models". */
  readonly modelMilliseconds: number;
}

/** Whether an attack was refused. */
export const refusedIf = (isRefused: boolean, figure: string): Outcome => ({
  result: isRefused ? "refused" : "succeeded",
  figure,
});

/** Whether the service held against an attack. */
export const heldIf = (holds: boolean, figure: string): Outcome => ({
  result: holds ? "held" : "succeeded",
  figure,
});
