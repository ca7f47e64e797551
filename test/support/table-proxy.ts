import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import type { AwsConfig } from "../../shared/platform/outbound/aws-config.ts";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";

/** A response of DynamoDB. */
export interface TableResponse {
  readonly status: number;
  readonly text: string;
}

/** How the stand-in of DynamoDB at an address is called: with the stand-ins' own key, which may do everything. */
export const standInConfig = (endpoint: string): AwsConfig =>
  readAwsConfig({
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  });

/** Sends a call to DynamoDB's stand-in with the headers of another one. */
const forward = async (
  endpoint: string,
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
): Promise<TableResponse> => {
  const sent = Object.entries(headers).filter(([name]) => /^(?:content-type|x-amz|authorization)/.test(name));
  const response = await fetch(endpoint, {
    method: "POST",
    headers: sent.map(([name, value]): [string, string] => [name, String(value)]),
    body: Uint8Array.from(body),
  });
  return { status: response.status, text: await response.text() };
};

/**
 * Starts a server in front of DynamoDB's stand-in.
 *
 * @param handle gets each call, its operation as in `DynamoDB_20120810.GetItem`, and what forwards it.
 */
export const startTableProxy = (
  endpoint: string,
  handle: (operation: string, body: string, pass: () => Promise<TableResponse>) => Promise<TableResponse>,
): Promise<LoopbackServer> =>
  listenOnLoopback(
    createServer((request, response) => {
      void (async () => {
        const body = await buffer(request);
        const operation = String(request.headers["x-amz-target"]);
        const { status, text } = await handle(operation, body.toString(), () =>
          forward(endpoint, request.headers, body),
        );
        response.writeHead(status, { "Content-Type": "application/x-amz-json-1.0" }).end(text);
      })().catch(() => response.destroy());
    }),
  );
