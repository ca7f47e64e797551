import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { persist, Refused } from "../../../functions/console/client/parts/persist.ts";

/** What a browser says about its connection. */
let browser: EventTarget;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  browser = new EventTarget();
  vi.stubGlobal("addEventListener", browser.addEventListener.bind(browser));
  vi.stubGlobal("removeEventListener", browser.removeEventListener.bind(browser));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Begins what fails a number of times. @returns when it was tried, in seconds. */
const begin = (failures: number, error = new Error("The connection was lost.")) => {
  const tried: number[] = [];
  const [stopper, start] = [new AbortController(), Date.now()];
  const onLost = vi.fn();
  const done = persist(
    async () => {
      tried.push((Date.now() - start) / 1_000);
      if (tried.length <= failures) throw error;
      return "done";
    },
    { signal: stopper.signal, onLost },
  );
  return { tried, done, onLost, stopper };
};

describe("What a page repeats until it succeeds", () => {
  it("waits twice as long after each failure, up to half a minute", async () => {
    const { tried, done, onLost } = begin(7);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(await done).toBe("done");
    expect(tried).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
    expect(onLost).toHaveBeenCalledTimes(7);
  });

  it("is tried at once when the connection is back", async () => {
    const { tried, done } = begin(5);
    await vi.advanceTimersByTimeAsync(20_000);
    browser.dispatchEvent(new Event("online"));
    expect(await done).toBe("done");
    expect(tried).toEqual([0, 1, 3, 7, 15, 20]);
  });

  it("ends when the person stops it, and when the service refuses it", async () => {
    const { tried, done, stopper } = begin(5);
    await vi.advanceTimersByTimeAsync(2_000);
    stopper.abort();
    await expect(done).rejects.toMatchObject({ name: "AbortError" });
    expect(tried).toEqual([0, 1]);
    const refused = begin(5, new Refused("The file is text, not audio."));
    await expect(refused.done).rejects.toThrow("The file is text, not audio.");
    expect(refused.tried).toEqual([0]);
  });
});
