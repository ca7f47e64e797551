import { createTableClient, openTable } from "../../infra/sdk-table.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import type { LinkedObjectStore } from "../../shared/platform/storage/object-store.ts";
import { type Bucket, openBucket, type StorageTimeouts } from "../../shared/platform/storage/s3-bucket.ts";
import { createS3Links } from "../../shared/platform/storage/s3-links.ts";
import { createS3ObjectStore } from "../../shared/platform/storage/s3-object-store.ts";
import type { RequestTable, Table } from "../../shared/platform/storage/table.ts";

/** The service's own table, with its own attempts, in front of a server of the test, with a short timeout. */
export const tableAt = (address: string): Table => {
  const client = createTableClient(500);
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

const configOf = (address: string) =>
  readAwsConfig({
    AWS_ENDPOINT_URL: new URL(address).origin,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });

/** The service's own bucket in front of a server of the test. */
export const bucketAt = (address: string, timeouts?: StorageTimeouts): Bucket =>
  openBucket("audio", configOf(address), timeouts);

/** The objects of this bucket, with links. */
export const linkedStoreAt = (address: string, timeouts?: StorageTimeouts): LinkedObjectStore => ({
  ...createS3ObjectStore(bucketAt(address, timeouts)),
  ...createS3Links("audio", configOf(address)),
});

/** A store for which nothing can be signed. */
export const storeWithoutCredentials = (): LinkedObjectStore => {
  const aws = readAwsConfig({});
  return { ...createS3ObjectStore(openBucket("audio", aws)), ...createS3Links("audio", aws) };
};
