/** The table of a local service, with what is sent to it and comes back. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AwsConfig } from "../../../shared/platform/outbound/aws-config.ts";
import { openLightTable } from "../../../shared/platform/storage/light-table.ts";
import { openTable } from "../../../shared/platform/storage/sdk-table.ts";
import type { RequestTable, Table } from "../../../shared/platform/storage/table.ts";
import { standInConfig, startTableProxy } from "../../support/table-proxy.ts";

/** Where a table of the stand-ins is. */
export interface TableAddress {
  readonly name: string;
  readonly endpoint: string;
}

/** What was sent to the table for some work. */
export interface Traffic {
  readonly calls: number;
  /** Of requests and responses, without their heads. */
  readonly bytes: number;
}

/** A table whose calls are counted. */
export interface CountedTable {
  readonly table: Table;
  readonly requestTable: RequestTable;
  /** Without the count, for writing many items. */
  readonly client: DynamoDBDocumentClient;
  /** Does something and counts its calls. */
  during(work: () => Promise<unknown>): Promise<Traffic>;
  close(): void;
}

const clientOf = (endpoint: string, aws: AwsConfig): DynamoDBDocumentClient => {
  const { region, credentials } = aws;
  return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }), {
    marshallOptions: { removeUndefinedValues: true },
  });
};

/** Opens a table through a proxy that counts. */
export const openCountedTable = async ({ name, endpoint }: TableAddress): Promise<CountedTable> => {
  let [calls, bytes] = [0, 0];
  const proxy = await startTableProxy(endpoint, async (_operation, body, pass) => {
    const response = await pass();
    calls += 1;
    bytes += Buffer.byteLength(body) + Buffer.byteLength(response.text);
    return response;
  });
  const address = proxy.url;
  const aws = standInConfig(address);
  const [counted, client] = [clientOf(address, aws), clientOf(endpoint, aws)];
  return {
    table: openTable(name, counted),
    requestTable: openLightTable(name, aws),
    client,
    during: async (work) => {
      const before = { calls, bytes };
      await work();
      return { calls: calls - before.calls, bytes: bytes - before.bytes };
    },
    close: () => {
      counted.destroy();
      client.destroy();
      void proxy.close();
    },
  };
};
