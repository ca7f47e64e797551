import { setTimeout as pause } from "node:timers/promises";
import type { DataItem } from "../data/item.ts";
import { EvaluationStopped, type ItemOutcome, type ModelOutput, type RefusedItem } from "./outcome.ts";

/** How a run behaves. */
export interface RunOptions {
  /** Requests in progress at the same time. */
  readonly parallel: number;
  readonly call: (item: DataItem) => Promise<ItemOutcome>;
  readonly store: (item: DataItem, outcome: ModelOutput | RefusedItem) => Promise<void>;
  /** Reports that it waits until a limit of the service ends. */
  readonly onWait: (seconds: number) => void;
  /** The first pause before a failed item is sent again; each further one is twice as long. */
  readonly pauseMilliseconds?: number;
}

/** An item without an outcome, and why. */
export interface FailedItem {
  readonly item: DataItem;
  readonly reason: string;
}

/** A longer wait ends the run: a quota of a day or a month is used up. */
const maxWaitSeconds = 15 * 60;
/** A server that says 0 must not be called without a pause. */
const minWaitSeconds = 0.1;
const maxAttempts = 4;
/** This many items that fail one after the other are an outage. */
const maxFailuresInARow = 10;

/** All workers wait for the same limit. */
const createGate = (onWait: (seconds: number) => void, signal: AbortSignal) => {
  let opensAt = 0;
  return {
    wait: async (): Promise<void> => {
      for (let left = opensAt - Date.now(); left > 0; left = opensAt - Date.now()) {
        await pause(left, undefined, { signal });
      }
    },
    closeFor: (seconds: number): void => {
      if (seconds > maxWaitSeconds) {
        const end = new Date(Date.now() + 1_000 * seconds).toISOString();
        throw new EvaluationStopped(
          `A limit of the account is reached until ${end}. Run the same command again after it: it continues from here.`,
        );
      }
      const opens = Date.now() + 1_000 * seconds;
      if (opens <= opensAt) return;
      opensAt = opens;
      onWait(seconds);
    },
  };
};

/** What the workers of a run share. */
interface SharedRun extends Omit<RunOptions, "parallel" | "onWait"> {
  readonly gate: ReturnType<typeof createGate>;
  readonly signal: AbortSignal;
  readonly pauseMilliseconds: number;
}

/** Sends an item until it has an outcome, and stores it. @returns why it has none after several attempts. */
const completeItem = async (
  item: DataItem,
  { gate, signal, call, store, pauseMilliseconds }: SharedRun,
): Promise<string | undefined> => {
  let reason = "";
  for (let attempt = 1; attempt <= maxAttempts; ) {
    await gate.wait();
    const outcome = await call(item);
    if (outcome.kind === "limited") {
      gate.closeFor(Math.max(outcome.seconds, minWaitSeconds));
      continue;
    }
    if (outcome.kind !== "failed") {
      await store(item, outcome);
      return undefined;
    }
    reason = outcome.reason;
    if (outcome.seconds !== undefined) gate.closeFor(outcome.seconds);
    else if (attempt < maxAttempts)
      await pause(pauseMilliseconds * 2 ** (attempt - 1), undefined, { signal });
    attempt += 1;
  }
  return reason;
};

/**
 * Sends each item until it has an outcome, some at the same time, and stores every outcome when it arrives.
 *
 * @returns the items without an outcome after several attempts.
 * @throws EvaluationStopped when the service refuses the key, a limit does not end soon, or nothing works.
 */
export const runItems = async (
  items: readonly DataItem[],
  { parallel, onWait, pauseMilliseconds = 1_000, ...options }: RunOptions,
): Promise<FailedItem[]> => {
  const stop = new AbortController();
  const { signal } = stop;
  const shared = { ...options, pauseMilliseconds, signal, gate: createGate(onWait, signal) };
  const remaining = items.values();
  const failed: FailedItem[] = [];
  let failuresInARow = 0;
  const work = async (): Promise<void> => {
    for (const item of remaining) {
      const reason = await completeItem(item, shared);
      signal.throwIfAborted();
      failuresInARow = reason === undefined ? 0 : failuresInARow + 1;
      if (reason === undefined) continue;
      failed.push({ item, reason });
      if (failuresInARow >= maxFailuresInARow) {
        throw new EvaluationStopped(
          `${failuresInARow} items in a row failed; the last one because ${reason}.`,
        );
      }
    }
  };
  // The first reason counts: aborting again changes nothing.
  const workers = Array.from({ length: parallel }, () => work().catch((error: unknown) => stop.abort(error)));
  await Promise.all(workers);
  signal.throwIfAborted();
  return failed;
};
