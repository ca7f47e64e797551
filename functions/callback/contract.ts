import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  callbackQueueEnvironment,
  callbackRulesEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";

/**
 * After so many seconds each further try, as long as the receiver does not take the callback: over a day in all. Standard
 * Webhooks advises such a schedule.
 */
export const pausesInSeconds = [30, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 8 * 3_600, 8 * 3_600] as const;

/** How often the queue hands a callback out: a few times more than it is tried, for tries that broke off. */
export const callbackReceives = pausesInSeconds.length + 4;

export const callbackFunction = defineFunction({
  name: "callback",
  description: "Tells the programs of callers that their jobs have ended",
  operations: [],
  environment: { ...tableEnvironment, ...callbackQueueEnvironment, ...callbackRulesEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 40,
  transfer: "buffered",
});
