import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { lambdaContext } from "./lambda-event.ts";

/** What the function of the documents reads; the logger reads its level when the bundle is loaded. */
const variables = {
  LOG_LEVEL: "SILENT",
  LEGACY_VENDORS: '{"a":"a","b":"b"}',
  PUBLIC_BASE_URL: "http://127.0.0.1",
};

/** What the runtime puts into the globals; the head of the response is dropped. */
const awslambda = {
  streamifyResponse: (handler: unknown) => handler,
  HttpResponseStream: { from: (stream: PassThrough) => stream },
};

/**
 * A health check by the bundle of a service that has run, in this process: what a call takes without gateway and
 * network.
 *
 * @param dataDirectory the service's.
 */
export const healthInProcess = async (dataDirectory: string): Promise<() => Promise<unknown>> => {
  Object.assign(process.env, variables);
  Object.assign(globalThis, { awslambda });
  const bundle = join(dataDirectory, "build", "functions", "docs", "index.mjs");
  const { handler } = await import(pathToFileURL(bundle).href);
  const event = JSON.parse(await readFile("events/docs/health.json", "utf8"));
  return async () => {
    const stream = new PassThrough().resume();
    await Promise.all([handler(structuredClone(event), stream, lambdaContext()), finished(stream)]);
  };
};
