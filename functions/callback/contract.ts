import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  callbackQueueEnvironment,
  callbackRulesEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";
import { hourSeconds, minuteSeconds } from "../../shared/platform/durations.ts";

/** The pauses after failed attempts: more than a day in all, as Standard Webhooks advises. */
export const pausesInSeconds = [
  30,
  5 * minuteSeconds,
  30 * minuteSeconds,
  2 * hourSeconds,
  5 * hourSeconds,
  8 * hourSeconds,
  8 * hourSeconds,
] as const;

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
