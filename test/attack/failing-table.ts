import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { startDynamoDb } from "@language-ai/aws-stand-ins";

/** A table whose counters can fail. */
export interface FailingTable {
  readonly endpoint: string;
  readonly failCounters: (isFailing: boolean) => void;
  close(): Promise<void>;
}

const throttled = JSON.stringify({
  __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
  message: "The item is throttled.",
});

/** Starts DynamoDB's stand-in. On request it fails every call that writes a counter. */
export const startFailingTable = async (dataDirectory: string): Promise<FailingTable> => {
  const table = await startDynamoDb({ dataDirectory });
  let isFailing = false;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
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
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await table.close();
    },
  };
};
