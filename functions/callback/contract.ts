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

/** Deliveries by the queue. Most are attempts or waits for a slot; with the pauses below, they last for hours. */
export const callbackReceives = 200;

/** Returns how long a callback waits for one of its account's slots, a little more after each of its deliveries. */
export const slotWaitSeconds = (receives: number): number => Math.min(2 * receives, maxSlotWaitSeconds);

const maxSlotWaitSeconds = 29;

export const callbackFunction = defineFunction({
  name: "callback",
  description: "Sends callbacks when jobs end",
  operations: [],
  environment: { ...tableEnvironment, ...callbackQueueEnvironment, ...callbackRulesEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 40,
  transfer: "buffered",
});
