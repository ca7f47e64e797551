import type { FailingTable } from "./failing-table.ts";

/** An attack, and what must not come of it. */
export interface Attack {
  /** Attacks of one kind have one number, by which they are chosen: `--only 6`. */
  readonly number: number;
  /** What is done, as a sentence's subject: "held" or "refused" completes it. */
  readonly name: string;
  /** What it takes beyond requests to the service. */
  readonly needs?: readonly Means[];
  /** Takes many seconds or sends many megabytes; left out by `--quick`. */
  readonly isLong?: boolean;
  /**
   *
   * @throws Error when the attack cannot run, which counts as its success.
   */
  readonly attempt: (target: Target) => Promise<Outcome>;
}

/**
 * What only some services offer their attacker: the mails and messages they sent, models that respond as the attacker
 * wants, a table that fails, requests from several addresses, more logins a minute than an address has, events of any content for
 * functions, and an operator who disables accounts.
 */
export type Means =
  | "mails"
  | "messages"
  | "models"
  | "table"
  | "addresses"
  | "log-ins"
  | "events"
  | "operator";

/** The outcome of an attack. */
export interface Outcome {
  /** `refused`: the service refused it. `held`: it had no effect. */
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
  /** The table; only with the means "table". */
  readonly table?: Pick<FailingTable, "hold" | "itemsWith">;
  /** Disables an account; only with the means "operator". */
  readonly disable: (username: string) => Promise<void>;
  /** Runs `npm run account` for a username; only with the means "operator". */
  readonly operate: (username: string, ...args: readonly string[]) => Promise<void>;
  /** Holds back all transcriptions; only with the means "models". */
  readonly holdTranscriptions: () => HeldTranscriptions;
  /** How many bytes of audio the model server has sent so far; only with the means "models". */
  readonly audioSent: () => number;
  /** How long a model may take in all; only with the means "models". */
  readonly modelMilliseconds: number;
}

/** Transcriptions that wait for their release. */
export interface HeldTranscriptions {
  /** How many the model server has received since they were held back. */
  calls(): number;
  release(): void;
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
