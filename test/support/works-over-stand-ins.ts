import { afterAll, beforeAll } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { accountCounters } from "../../shared/accounts/limits/keys.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { BackendTimeout } from "../../shared/platform/outbound/failures.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { readTranscript } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import { type FakeModel, type JobWorksOptions, openJobWorks, pieceSeconds, sayPiece } from "./job-works.ts";
import { startTestBucket, type TestBucket } from "./test-bucket.ts";
import { startTestTable, type TestTable } from "./test-table.ts";

/** A table and a bucket for the tests of a file, and jobs over them. */
export interface WorksOverStandIns {
  readonly testTable: TestTable;
  readonly table: Table;
  readonly bucket: TestBucket;
}

/** Starts them before the tests of a file, and ends them afterwards. */
export const useWorks = () => {
  let standIns: WorksOverStandIns;
  beforeAll(async () => {
    const [testTable, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
    standIns = { testTable, table: testTable.open(), bucket };
  });
  afterAll(() => Promise.all([standIns.testTable.close(), standIns.bucket.close()]));
  return {
    standIns: (): WorksOverStandIns => standIns,
    worksWith: (options: Partial<JobWorksOptions> = {}) =>
      openJobWorks({ table: standIns.table, store: standIns.bucket.store, ...options }),
    /** Seconds of recordings that count on an account's month, and those of its usage. */
    counted: async (userId: number) => {
      const item = (await standIns.testTable.read(accountKeys.access(userId))) ?? {};
      const { month, day } = windowsAt(Date.now());
      return {
        month: Number(item[accountCounters.audio(month)] ?? 0) / 1_000,
        usage: Number(item[`u${day}:createJob:-:a`] ?? 0) / 1_000,
      };
    },
    textOf: async (name: JobName) => (await readTranscript(standIns.bucket.store, name))?.text,
  };
};

/** The text of a recording that `sayPiece` has transcribed. */
export const saidIn = (recording: string, pieces: number): string =>
  Array.from({ length: pieces }, (_, index) => `said in ${recording} ${index}`).join(" / ");

const outOfTime = new AppError("service_unavailable", { cause: new BackendTimeout("silent") });

/** A model that runs out of time at more than this many seconds. */
export const slowModel =
  (maxSeconds: number): FakeModel =>
  (piece, signal) => {
    const [from = 0, to = pieceSeconds] = [...piece.matchAll(/(?:from|to) ([\d.]+)/g)].map(([, at]) =>
      Number(at),
    );
    return to - from > maxSeconds ? Promise.reject(outOfTime) : sayPiece(piece, signal);
  };
