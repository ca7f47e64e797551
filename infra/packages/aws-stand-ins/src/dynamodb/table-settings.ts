import * as z from "zod";
import { parseInput, validationError } from "./dynamodb-error.ts";
import { runDynalite } from "./run-dynalite.ts";
import type { JsonObject, Store } from "./store.ts";

// Loose: earlier versions stored a setting of backups, too.
const storedSettings = z.looseObject({
  timeToLiveAttribute: z.string().optional(),
});

type TableSettings = z.output<typeof storedSettings>;

const tableName = z.string("Member must not be null");
const tableInput = z.object({ TableName: tableName });
const timeToLiveInput = z.object({
  TableName: tableName,
  TimeToLiveSpecification: z.object({ AttributeName: z.string().min(1).max(255), Enabled: z.boolean() }),
});
const described = z.object({ Table: z.object({ TableId: z.string() }) });

/** Named by the id of the table, not its name, so that a recreated table starts without settings. */
const settingsKey = async (store: Store, name: string): Promise<string> => {
  const { Table } = described.parse(await runDynalite("DescribeTable", store, { TableName: name }));
  return `table-settings~${Table.TableId}`;
};

const readSettings = async (store: Store, key: string): Promise<TableSettings> =>
  storedSettings.parse((await store.db.get(key)) ?? {});

const writeSettings = (store: Store, key: string, settings: TableSettings): Promise<void> =>
  store.db.batch([{ type: "put", key, value: settings }]);

/** The attribute with the expiry time of a table's items, in seconds since 1970, or undefined. */
export const timeToLiveAttribute = async (store: Store, name: string): Promise<string | undefined> =>
  (await readSettings(store, await settingsKey(store, name))).timeToLiveAttribute;

/** UpdateTimeToLive. The caller must keep other changes of settings out meanwhile. */
export const updateTimeToLive = async (store: Store, input: JsonObject): Promise<JsonObject> => {
  const { TableName, TimeToLiveSpecification } = parseInput(timeToLiveInput, input);
  const { AttributeName, Enabled } = TimeToLiveSpecification;
  const key = await settingsKey(store, TableName);
  const settings = await readSettings(store, key);
  if (Enabled === (settings.timeToLiveAttribute !== undefined)) {
    throw validationError(`TimeToLive is already ${Enabled ? "enabled" : "disabled"}`);
  }
  await writeSettings(store, key, { ...settings, timeToLiveAttribute: Enabled ? AttributeName : undefined });
  return { TimeToLiveSpecification };
};

/** DescribeTimeToLive. */
export const describeTimeToLive = async (store: Store, input: JsonObject): Promise<JsonObject> => {
  const attribute = await timeToLiveAttribute(store, parseInput(tableInput, input).TableName);
  return {
    TimeToLiveDescription: attribute
      ? { TimeToLiveStatus: "ENABLED", AttributeName: attribute }
      : { TimeToLiveStatus: "DISABLED" },
  };
};
