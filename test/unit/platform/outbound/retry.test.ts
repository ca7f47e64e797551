import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RetryOptions, retry } from "../../../../shared/platform/outbound/retry.ts";

const setUp = () => {
  const wait = vi.fn(async () => undefined);
  const options: RetryOptions<string> = {
    attempts: 3,
    isWorthRepeating: ({ status }) => status === "rejected",
    pauseMilliseconds: (failures) => 100 * failures,
    signal: new AbortController().signal,
    wait,
  };
  return { wait, options, attempt: vi.fn<() => Promise<string>>() };
};

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("what is tried again", () => {
  it("is tried no more often than allowed, and fails as its last attempt", async () => {
    const { attempt, options } = setUp();
    for (const name of ["first", "second", "third"]) attempt.mockRejectedValueOnce(new Error(name));
    await expect(retry(attempt, options)).rejects.toThrow("third");
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it("waits longer after each failure, and at random up to twice as long", async () => {
    const { attempt, options, wait } = setUp();
    attempt.mockRejectedValue(new Error("no"));
    await expect(retry(attempt, options)).rejects.toThrow("no");
    expect(wait.mock.calls).toEqual([
      [150, options.signal],
      [300, options.signal],
    ]);
  });

  it("is done with its first success", async () => {
    const { attempt, options, wait } = setUp();
    attempt.mockRejectedValueOnce(new Error("no")).mockResolvedValue("yes");
    expect(await retry(attempt, options)).toBe("yes");
    expect(attempt).toHaveBeenCalledTimes(2);
    expect(wait).toHaveBeenCalledOnce();
  });

  it("is abandoned at once when another attempt makes no sense", async () => {
    const { attempt, options } = setUp();
    attempt.mockRejectedValue(new Error("no"));
    await expect(retry(attempt, { ...options, isWorthRepeating: () => false })).rejects.toThrow("no");
    expect(attempt).toHaveBeenCalledOnce();
  });

  it("lets go of results that are no success, but for the last", async () => {
    const { attempt, options } = setUp();
    const discard = vi.fn();
    attempt.mockResolvedValueOnce("busy 1").mockResolvedValue("busy 2");
    const tried = retry(attempt, { ...options, attempts: 2, isWorthRepeating: () => true, discard });
    expect(await tried).toBe("busy 2");
    expect(discard).toHaveBeenCalledExactlyOnceWith("busy 1");
  });

  it("ends with its signal while it waits, with the signal's reason", async () => {
    const { attempt, options } = setUp();
    const leaving = new AbortController();
    attempt.mockImplementation(() => {
      setImmediate(() => leaving.abort(new Error("left")));
      return Promise.reject(new Error("no"));
    });
    const { wait: _, ...withSleep } = options;
    const tried = retry(attempt, { ...withSleep, pauseMilliseconds: () => 60_000, signal: leaving.signal });
    await expect(tried).rejects.toThrow("left");
    expect(attempt).toHaveBeenCalledOnce();
  });
});
