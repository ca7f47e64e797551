import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  bucketEnvironment,
  publicAddressEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

/** Attempts at an export: a failed one is requested again by its owner, and repeated only when a worker was killed. */
export const exportReceives = 2;

export const exportFunction = defineFunction({
  name: "export",
  description: "Prepares the exports of accounts",
  operations: [],
  environment: {
    ...tableEnvironment,
    ...bucketEnvironment,
    ...publicAddressEnvironment,
    ...vendorsEnvironment,
  },
  memoryMegabytes: 1024,
  // Ten minutes: a gigabyte of audio in thousands of files takes half of it.
  timeoutSeconds: 600,
  transfer: "buffered",
});
