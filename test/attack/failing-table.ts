import { startDynamoDb } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { openAwsJsonService } from "../../shared/platform/outbound/aws-json.ts";
import { standInConfig, startTableProxy } from "../support/table-proxy.ts";

/** A call to the table that waits until it is released. */
export interface HeldCall {
  /** Resolves when the call has arrived. */
  readonly arrived: Promise<void>;
  release(): void;
}

/** A table whose counters can fail, and whose calls can be held back. */
export interface FailingTable {
  readonly endpoint: string;
  readonly failCounters: (isFailing: boolean) => void;
  /** Holds back the next call of an operation, such as `PutItem`, whose body contains a text. */
  readonly hold: (operation: string, text: string) => HeldCall;
  /** The stored items whose JSON contains all these texts. */
  readonly itemsWith: (...texts: readonly string[]) => Promise<number>;
  close(): Promise<void>;
}

const throttled = JSON.stringify({
  __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
  message: "The item is throttled.",
});

const tables = z.object({ TableNames: z.tuple([z.string()]) });
const pages = z.object({
  Items: z.array(z.unknown()),
  LastEvaluatedKey: z.record(z.string(), z.unknown()).optional(),
});

/** Reads all items of the only table. */
const scan = async (endpoint: string): Promise<string[]> => {
  const dynamodb = openAwsJsonService("DynamoDB", standInConfig(endpoint));
  const [TableName] = tables.parse(await dynamodb.call("ListTables", {})).TableNames;
  const found: string[] = [];
  for (let start: object | undefined = {}; start; ) {
    const page = pages.parse(await dynamodb.call("Scan", { TableName, ...start }));
    found.push(...page.Items.map((item) => JSON.stringify(item)));
    start = page.LastEvaluatedKey && { ExclusiveStartKey: page.LastEvaluatedKey };
  }
  return found;
};

/** Starts DynamoDB's stand-in. On request it fails every call that writes a counter, or holds back a call. */
export const startFailingTable = async (dataDirectory: string): Promise<FailingTable> => {
  const table = await startDynamoDb({ dataDirectory });
  let isFailing = false;
  let holding: ((operation: string, body: string) => Promise<void> | undefined) | undefined;
  const proxy = await startTableProxy(table.endpoint, async (operation, body, pass) => {
    await holding?.(operation, body);
    const isCounting = operation.endsWith("UpdateItem") && /LIMIT#|ACCESS#/.test(body);
    return isFailing && isCounting ? { status: 400, text: throttled } : pass();
  });
  return {
    endpoint: proxy.url,
    failCounters: (fails) => {
      isFailing = fails;
    },
    hold: (operation, text) => {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holding = (called, body) => {
        if (!called.endsWith(`.${operation}`) || !body.includes(text)) return undefined;
        holding = undefined;
        arrived.resolve();
        return released.promise;
      };
      return { arrived: arrived.promise, release: released.resolve };
    },
    itemsWith: async (...texts) =>
      (await scan(table.endpoint)).filter((item) => texts.every((text) => item.includes(text))).length,
    close: async () => {
      await proxy.close();
      await table.close();
    },
  };
};
