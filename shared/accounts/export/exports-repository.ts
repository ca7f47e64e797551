import { randomUUID } from "node:crypto";
import * as z from "zod";
import { hourMilliseconds, minuteMilliseconds } from "../../platform/durations.ts";
import { exportsFolderOf } from "../../platform/storage/object-store.ts";
import { exists, type Table } from "../../platform/storage/table.ts";
import { exportKeys, exportLifetimeSeconds } from "./keys.ts";

/** An export that was requested within this time is not prepared again. */
const freshMilliseconds = 10 * minuteMilliseconds;

/** A worker that has not finished by now never will: its time has ended. */
const abandonedMilliseconds = hourMilliseconds;

const exportItem = z.object({
  export_id: z.string(),
  status: z.enum(["preparing", "ready", "failed"]),
  requested_at: z.iso.datetime(),
  ready_at: z.iso.datetime().optional(),
  size: z.int().optional(),
  expires_at: z.int(),
});

/** The last export of an account. */
export type StoredExport = z.infer<typeof exportItem>;

/** The name of an archive in the store. */
export const exportObject = (userId: number, exportId: string): string =>
  `${exportsFolderOf(userId)}${exportId}.zip`;

/** The state as it is now: an export that no worker has finished has failed. */
const stateAt = (stored: StoredExport, now: number): StoredExport | undefined => {
  if (stored.expires_at * 1_000 <= now) return undefined;
  const isAbandoned =
    stored.status === "preparing" && Date.parse(stored.requested_at) + abandonedMilliseconds <= now;
  return isAbandoned ? { ...stored, status: "failed" } : stored;
};

/** Exports in the table. */
export type ExportsRepository = ReturnType<typeof createExportsRepository>;

/** The exports of accounts; E1 of `keys.ts`. */
export const createExportsRepository = (
  table: Pick<Table, "read" | "update">,
  now: () => number = Date.now,
) => {
  const find = async (userId: number): Promise<StoredExport | undefined> => {
    const item = await table.read({ Key: exportKeys.state(userId) });
    return item?.["export_id"] === undefined ? undefined : stateAt(exportItem.parse(item), now());
  };

  /** Notes the end of the work. @returns whether the export is still the last one of an account that exists. */
  const finish = async (userId: number, exportId: string, end: Pick<StoredExport, "status" | "size">) => {
    const { applied } = await table.update({
      Key: exportKeys.state(userId),
      UpdateExpression: "SET #status = :status, ready_at = :at, #size = :size",
      ConditionExpression: `${exists.ConditionExpression} AND export_id = :id`,
      ExpressionAttributeNames: { "#status": "status", "#size": "size" },
      ExpressionAttributeValues: {
        ":status": end.status,
        ":at": new Date(now()).toISOString(),
        ":size": end.size ?? 0,
        ":id": exportId,
      },
    });
    return applied;
  };

  return {
    /** Returns the last export; `undefined` when there is none, or it has expired. */
    find,

    /** Starts an export, unless one is being prepared or is minutes old. @returns it, and whether it is new. */
    begin: async (userId: number): Promise<{ readonly stored: StoredExport; readonly isNew: boolean }> => {
      const known = await find(userId);
      const isFresh = known && Date.parse(known.requested_at) + freshMilliseconds > now();
      if (known && known.status !== "failed" && (isFresh || known.status === "preparing")) {
        return { stored: known, isNew: false };
      }
      const { item } = await table.update({
        Key: exportKeys.state(userId),
        UpdateExpression:
          "SET export_id = :id, #status = :status, requested_at = :at, expires_at = :end REMOVE ready_at, #size",
        ExpressionAttributeNames: { "#status": "status", "#size": "size" },
        ExpressionAttributeValues: {
          ":id": randomUUID(),
          ":status": "preparing",
          ":at": new Date(now()).toISOString(),
          ":end": Math.floor(now() / 1_000) + exportLifetimeSeconds,
        },
      });
      return { stored: exportItem.parse(item), isNew: true };
    },

    complete: (userId: number, exportId: string, size: number): Promise<boolean> =>
      finish(userId, exportId, { status: "ready", size }),
    fail: (userId: number, exportId: string): Promise<boolean> =>
      finish(userId, exportId, { status: "failed" }),
  };
};
