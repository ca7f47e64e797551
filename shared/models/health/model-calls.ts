import * as z from "zod";
import { daySeconds, hourMilliseconds, minuteMilliseconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { describeErrorName, logger } from "../../platform/telemetry/logger.ts";
import { type CalledServer, modelKeys } from "./keys.ts";

const sliceMilliseconds = 10 * minuteMilliseconds;

/** A process writes its counts at most this often. */
const pauseMilliseconds = minuteMilliseconds;

/** Takes what is counted of the calls to a task's server. None of its methods waits or throws. */
export interface CallReport {
  /** A call starts: the counts before it may be written while the model works. */
  begin(): void;
  end(milliseconds: number, hasFailed: boolean): void;
  circuitOpened(): void;
}

interface Counts {
  calls: number;
  failures: number;
  milliseconds: number;
  openedAt: number | undefined;
}

const noCounts = (): Counts => ({ calls: 0, failures: 0, milliseconds: 0, openedAt: undefined });

const write = async (
  table: Pick<Table, "update">,
  called: CalledServer,
  { calls, failures, milliseconds, openedAt }: Counts,
  now: number,
): Promise<void> => {
  await table.update({
    Key: modelKeys.slice(called, Math.floor(now / sliceMilliseconds)),
    UpdateExpression:
      `SET expires_at = :expiry${openedAt === undefined ? "" : ", opened_at = :opened"} ` +
      "ADD calls :calls, failures :failures, milliseconds :milliseconds",
    ExpressionAttributeValues: {
      ":expiry": Math.floor(now / 1_000) + daySeconds,
      ":calls": calls,
      ":failures": failures,
      ":milliseconds": Math.round(milliseconds),
      ...(openedAt === undefined ? {} : { ":opened": openedAt }),
    },
  });
};

/**
 * Counts the calls of this process to the server of a task; access pattern H1 of this folder's README. Once a minute at most, the
 * counts are written while the next call's model works, so no request waits for it. Counts that cannot be written are dropped.
 */
export const createCallReport = (
  table: Pick<Table, "update">,
  called: CalledServer,
  now: () => number = Date.now,
): CallReport => {
  let counts = noCounts();
  let writtenAt = 0;
  const flush = (): void => {
    const pending = counts;
    counts = noCounts();
    writtenAt = now();
    write(table, called, pending, writtenAt).catch((error: unknown) =>
      logger.warn("model.calls_not_counted", {
        backend: called.task,
        server: called.server,
        reason: describeErrorName(error),
      }),
    );
  };
  return {
    begin: () => {
      if (counts.calls > 0 && now() - writtenAt >= pauseMilliseconds) flush();
    },
    end: (milliseconds, hasFailed) => {
      counts.calls += 1;
      counts.milliseconds += milliseconds;
      if (hasFailed) counts.failures += 1;
    },
    circuitOpened: () => {
      counts.openedAt = now();
      flush();
    },
  };
};

const sliceItem = z.object({
  calls: z.number(),
  failures: z.number(),
  milliseconds: z.number(),
  opened_at: z.number().optional(),
});

/** The calls to the server of a task in the last hour. */
export interface HourOfCalls {
  readonly calls: number;
  readonly failures: number;
  /** Of all calls together. */
  readonly milliseconds: number;
  /** When the circuit of a process last opened, in milliseconds of Unix time. */
  readonly openedAt: number | undefined;
}

/** Reads the calls of all processes in the last hour, and up to ten minutes more. */
export const readLastHour = async (
  table: Pick<Table, "query">,
  called: CalledServer,
  now: number = Date.now(),
): Promise<HourOfCalls> => {
  const keyAt = (time: number) => modelKeys.slice(called, Math.floor(time / sliceMilliseconds));
  const { PK: partition, SK: last } = keyAt(now);
  const items = await table.query({ partition, between: [keyAt(now - hourMilliseconds).SK, last] });
  return items
    .map((item) => sliceItem.parse(item))
    .reduce<HourOfCalls>(
      (sum, { calls, failures, milliseconds, opened_at: openedAt }) => ({
        calls: sum.calls + calls,
        failures: sum.failures + failures,
        milliseconds: sum.milliseconds + milliseconds,
        openedAt: openedAt ?? sum.openedAt,
      }),
      { calls: 0, failures: 0, milliseconds: 0, openedAt: undefined },
    );
};
