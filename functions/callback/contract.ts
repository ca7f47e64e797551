import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  callbackQueueEnvironment,
  callbackRulesEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";

/** The pauses after failed attempts: more than a day in all, as Standard Webhooks advises. */
export const pausesInSeconds = [30, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 8 * 3_600, 8 * 3_600] as const;

/** Deliveries by the queue: a few more than the attempts, for attempts that were interrupted. */
export const callbackReceives = pausesInSeconds.length + 4;

export const callbackFunction = defineFunction({
  name: "callback",
  description: "Sends callbacks when jobs end",
  operations: [],
  environment: { ...tableEnvironment, ...callbackQueueEnvironment, ...callbackRulesEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 40,
  transfer: "buffered",
});
