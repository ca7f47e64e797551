import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { type ExportRequest, exportRequest } from "../../shared/accounts/export/export-queue.ts";
import { createExportsRepository } from "../../shared/accounts/export/exports-repository.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { readRecord } from "../../shared/platform/queue/fifo-queue.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { faultFields } from "../../shared/platform/telemetry/fault-metric.ts";
import { describeErrorName, logger } from "../../shared/platform/telemetry/logger.ts";
import { objectStoreFrom } from "../../shared/wiring/from-environment.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { archiveLimits } from "./archive-entries.ts";
import { exportFunction } from "./contract.ts";
import { exportUsage } from "./export-usage.ts";
import { prepareExport } from "./prepare-export.ts";

/** For what follows the files: their links, the directory of the archive, and the table. */
const reserveMilliseconds = 90_000;

const environment = readEnvironment(exportFunction.environment, process.env);
const table = openLightTable(environment.TABLE_NAME, awsConfigOf(environment));
const store = objectStoreFrom(environment);
const exports = createExportsRepository(table);
const { LEGACY_VENDORS: vendors } = environment;

const prepare = async (request: ExportRequest, remaining: number): Promise<void> => {
  const started = Date.now();
  await prepareExport(request, {
    table,
    store,
    kinds: storedKinds,
    accounts: createAccountsRepository(table),
    exports,
    limits: archiveLimits,
    usageCsv: (owner) => exportUsage(owner, table, vendors),
    linkTo: (object) =>
      `${environment.PUBLIC_BASE_URL}/auth/me/export/file?${new URLSearchParams({ name: object })}`,
    hasTime: () => Date.now() - started < remaining - reserveMilliseconds,
    signal: AbortSignal.timeout(remaining - reserveMilliseconds / 3),
  });
};

/** Prepares the exports of a batch. A failed one is not repeated: its owner sees that it failed, and may request another one. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "prepareExport",
    metricsNamespace: environment.METRICS_NAMESPACE,
    minMilliseconds: 2 * reserveMilliseconds,
    reserveMilliseconds: 1_000,
    work: async (record) => {
      const request = readRecord(record, exportRequest);
      if (!request) return false;
      try {
        await prepare(request, context.getRemainingTimeInMillis());
        return true;
      } catch (error) {
        logger.error("export.failed", { reason: describeErrorName(error), ...faultFields(error) });
        return exports.fail(request.userId, request.exportId).then(
          () => true,
          () => false,
        );
      }
    },
  });
