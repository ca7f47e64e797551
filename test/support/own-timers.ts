import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

/**
 * Runs a test with fake timers. Files share their thread, so what an earlier one has left may set timers, too.
 *
 * @param test is given how many timers are waiting that the test itself, or what it called, has set.
 */
export const withOwnTimers = async (test: (waiting: () => number) => Promise<void>): Promise<void> => {
  vi.useFakeTimers();
  const inTest = new AsyncLocalStorage<true>();
  const waiting = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.stubGlobal(
    "setTimeout",
    (callback: (...given: unknown[]) => void, delay?: number, ...given: unknown[]) => {
      const timer = set(() => {
        waiting.delete(timer);
        callback(...given);
      }, delay);
      if (inTest.getStore()) waiting.add(timer);
      return timer;
    },
  );
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout | undefined) => {
    waiting.delete(timer);
    clear(timer);
  });
  try {
    await inTest.run(true, () => test(() => waiting.size));
  } finally {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }
};
