import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { startDynamoDb } from "@language-ai/aws-stand-ins";
import * as z from "zod";

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

const pages = z.object({
  Items: z.array(z.unknown()),
  LastEvaluatedKey: z.record(z.string(), z.unknown()).optional(),
});

/** Reads all items of the only table. */
const scan = async (endpoint: string): Promise<string[]> => {
  const call = async (operation: string, body: object): Promise<unknown> => {
    const headers = {
      "Content-Type": "application/x-amz-json-1.0",
      "X-Amz-Target": `DynamoDB_20120810.${operation}`,
      Authorization:
        "AWS4-HMAC-SHA256 Credential=local/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a",
      "X-Amz-Date": "20261120T100000Z",
    };
    const response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  };
  const { TableNames: names } = z
    .object({ TableNames: z.tuple([z.string()]) })
    .parse(await call("ListTables", {}));
  const found: string[] = [];
  let start: object = {};
  for (;;) {
    const { Items: items, LastEvaluatedKey: last } = pages.parse(
      await call("Scan", { TableName: names[0], ...start }),
    );
    found.push(...items.map((item) => JSON.stringify(item)));
    if (!last) return found;
    start = { ExclusiveStartKey: last };
  }
};

/** Starts DynamoDB's stand-in. On request it fails every call that writes a counter, or holds back a call. */
export const startFailingTable = async (dataDirectory: string): Promise<FailingTable> => {
  const table = await startDynamoDb({ dataDirectory });
  let isFailing = false;
  let holding: ((operation: string, body: string) => Promise<void> | undefined) | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      await holding?.(String(request.headers["x-amz-target"]), body.toString());
      const isCounting = String(request.headers["x-amz-target"]).endsWith("UpdateItem");
      if (isFailing && isCounting && /LIMIT#|ACCESS#/.test(body.toString())) {
        response.writeHead(400, { "Content-Type": "application/x-amz-json-1.0" }).end(throttled);
        return;
      }
      const { "x-amz-target": target, "content-type": contentType, authorization } = request.headers;
      const received = await fetch(table.endpoint, {
        method: "POST",
        headers: {
          "X-Amz-Target": String(target),
          "Content-Type": String(contentType),
          Authorization: String(authorization),
          "X-Amz-Date": String(request.headers["x-amz-date"]),
        },
        body: Uint8Array.from(body),
      });
      response
        .writeHead(received.status, { "Content-Type": received.headers.get("content-type") ?? "" })
        .end(Buffer.from(await received.arrayBuffer()));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
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
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await table.close();
    },
  };
};
