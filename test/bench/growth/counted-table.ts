/** The table of a local service, with what is sent to it and comes back. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import { openTable } from "../../../infra/sdk-table.ts";
import { readAwsConfig } from "../../../shared/platform/config/environment.ts";
import type { AwsConfig } from "../../../shared/platform/outbound/aws-config.ts";
import { openLightTable } from "../../../shared/platform/storage/light-table.ts";
import type { RequestTable, Table } from "../../../shared/platform/storage/table.ts";
import { listen } from "../child-process.ts";

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
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const headers = Object.entries(incoming.headers).filter(([header]) =>
      /^(?:content-type|x-amz|authorization)/.test(header),
    );
    const response = await fetch(endpoint, {
      method: "POST",
      headers: headers.map(([header, value]): [string, string] => [header, String(value)]),
      body,
    });
    const text = await response.text();
    calls += 1;
    bytes += body.length + Buffer.byteLength(text);
    outgoing.writeHead(response.status, { "Content-Type": "application/x-amz-json-1.0" }).end(text);
  };
  const server = createServer((request, response) => void forward(request, response));
  const address = await listen(server);
  // The stand-ins' own key, which may do everything.
  const aws = readAwsConfig({
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: address,
  });
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
      server.close().closeAllConnections();
    },
  };
};
