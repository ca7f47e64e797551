import { dayMilliseconds, minuteMilliseconds } from "../../shared/platform/durations.ts";

/**
 * Erases disowned accounts every day, as a deployment's schedule does, and a minute after the start, because a service on a laptop
 * seldom runs for a day.
 *
 * @param erase invokes the function; its log says when it fails.
 * @returns a function that ends the schedule.
 */
export const eraseDaily = (erase: () => Promise<unknown>): (() => void) => {
  const run = (): void => void erase().catch(() => undefined);
  const first = setTimeout(run, minuteMilliseconds).unref();
  const daily = setInterval(run, dayMilliseconds).unref();
  return () => {
    clearTimeout(first);
    clearInterval(daily);
  };
};
