import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { type Bucket, openBucket, type StorageTimeouts } from "../../shared/platform/storage/s3-calls.ts";
import { createTableClient, openTable } from "../../shared/platform/storage/sdk-table.ts";
import type { RequestTable, Table } from "../../shared/platform/storage/table.ts";

/** The service's own table, with its own attempts, in front of a server of the test, with a short timeout. */
export const tableAt = (address: string): Table => {
  const client = createTableClient();
  Object(client.config.requestHandler).updateHttpClientConfig("requestTimeout", 500);
  const { hostname, port, protocol } = new URL(address);
  client.middlewareStack.add(
    (next) => (given) => {
      Object.assign(Object(given.request), { hostname, port: Number(port), protocol });
      return next(given);
    },
    { step: "build" },
  );
  return openTable("language-ai", client);
};

/** The same, as every request uses it. */
export const requestTableAt = (address: string): RequestTable =>
  openLightTable("language-ai", readAwsConfig({ AWS_ENDPOINT_URL: address }));

/** The service's own bucket in front of a server of the test. */
export const bucketAt = (address: string, timeouts?: StorageTimeouts): Bucket =>
  openBucket(
    "audio",
    readAwsConfig({
      AWS_ENDPOINT_URL: new URL(address).origin,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    }),
    timeouts,
  );

/** A bucket for which nothing can be signed. */
export const bucketWithoutCredentials = (): Bucket => openBucket("audio", readAwsConfig({}));
