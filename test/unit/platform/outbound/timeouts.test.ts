import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  awaitActivity,
  IdleTimer,
  limitTime,
  raceDeadline,
  withIdleTimeout,
  withinTime,
} from "../../../../shared/platform/outbound/timeouts.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<never>(() => undefined);

describe("work with a deadline", () => {
  it("returns its result when it is done in time, and no longer listens to the deadline", async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, "removeEventListener");
    expect(await raceDeadline(signal, async () => "done")).toBe("done");
    expect(remove).toHaveBeenCalledOnce();
  });

  it("fails with the deadline's reason, even when it takes no notice of it", async () => {
    const deadline = new AbortController();
    const seen = vi.fn();
    const race = raceDeadline(deadline.signal, (signal) => {
      signal.addEventListener("abort", seen);
      return never;
    });
    deadline.abort(new Error("The time is over."));
    await expect(race).rejects.toThrow("The time is over.");
    expect(seen).toHaveBeenCalledOnce();
  });

  it("does not start when the time has already ended", async () => {
    const work = vi.fn(async () => "done");
    await expect(raceDeadline(AbortSignal.abort(new Error("Too late.")), work)).rejects.toThrow("Too late.");
    expect(work).not.toHaveBeenCalled();
  });

  it("fails as it fails", async () => {
    const race = raceDeadline(new AbortController().signal, () => Promise.reject(new Error("Broken.")));
    await expect(race).rejects.toThrow("Broken.");
  });
});

describe("work that is given up after a time", () => {
  it("returns its result, and leaves no timer", async () => {
    expect(await withinTime(100, async () => "done")).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fails when its time ends, with that error", async () => {
    let passedSignal: AbortSignal | undefined;
    const failed = withinTime(100, (signal) => {
      passedSignal = signal;
      return never;
    }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(99);
    expect(passedSignal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failed).toMatchObject({ name: "TimeoutError" });
    expect(passedSignal?.aborted).toBe(true);
  });
});

describe("an idle timeout", () => {
  it("ends a wait after exactly its time", async () => {
    const onIdle = vi.fn();
    void awaitActivity(never, { milliseconds: 100, onIdle });
    await vi.advanceTimersByTimeAsync(99);
    expect(onIdle).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onIdle).toHaveBeenCalledOnce();
  });

  it("ends with the wait, however that ends", async () => {
    const onIdle = vi.fn();
    expect(await awaitActivity(Promise.resolve("done"), { milliseconds: 100, onIdle })).toBe("done");
    const failing = awaitActivity(Promise.reject(new Error("Broken.")), { milliseconds: 100, onIdle });
    await expect(failing).rejects.toThrow("Broken.");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onIdle).not.toHaveBeenCalled();
  });

  /** Pieces that come after this many milliseconds each. */
  const pieces = (delays: readonly number[]) => {
    const left = vi.fn();
    async function* make() {
      try {
        for (const delay of delays) {
          await new Promise((resolve) => setTimeout(resolve, delay));
          yield delay;
        }
      } finally {
        left();
      }
    }
    return { source: make(), left };
  };

  it("restarts for each piece, and does not run while the reader is busy with one", async () => {
    const onIdle = vi.fn();
    const { source } = pieces([99, 99, 99]);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const piece of withIdleTimeout(source, { milliseconds: 100, onIdle })) {
        seen.push(piece);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    })();
    await vi.advanceTimersByTimeAsync(3 * 599);
    await reading;
    expect(seen).toEqual([99, 99, 99]);
    expect(onIdle).not.toHaveBeenCalled();
  });

  it("is called for a piece that takes too long", async () => {
    const onIdle = vi.fn();
    const { source } = pieces([50, 101]);
    const iteration = withIdleTimeout(source, { milliseconds: 100, onIdle });
    const first = iteration.next();
    await vi.advanceTimersByTimeAsync(50);
    expect(await first).toEqual({ done: false, value: 50 });
    void iteration.next();
    await vi.advanceTimersByTimeAsync(100);
    expect(onIdle).toHaveBeenCalledOnce();
  });

  it("leaves the source when its reader leaves", async () => {
    const { source, left } = pieces([0, 0]);
    const iteration = withIdleTimeout(source, { milliseconds: 100, onIdle: () => undefined });
    const first = iteration.next();
    await vi.advanceTimersByTimeAsync(1);
    await first;
    expect(left).not.toHaveBeenCalled();
    await iteration.return();
    expect(left).toHaveBeenCalledOnce();
  });
});

describe("a limit of time", () => {
  const limit = (signal: AbortSignal = new AbortController().signal) =>
    limitTime(100, signal, () => new Error("Overdue."));

  it("ends the step when its time ends, with its reason", async () => {
    const { signal } = limit();
    await vi.advanceTimersByTimeAsync(99);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal.reason).toEqual(new Error("Overdue."));
  });

  it("ends the step with the signal and its reason, before the step and in it", () => {
    const leaving = new AbortController();
    const { signal } = limit(leaving.signal);
    leaving.abort(new Error("left"));
    expect(signal.reason).toEqual(new Error("left"));
    expect(limit(leaving.signal).signal.reason).toEqual(new Error("left"));
  });

  it("that is lifted has no end but the signal's", async () => {
    const leaving = new AbortController();
    const { signal, lift } = limit(leaving.signal);
    lift();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(signal.aborted).toBe(false);
    leaving.abort(new Error("left"));
    expect(signal.reason).toEqual(new Error("left"));
  });
});

describe("a timer for silence", () => {
  const start = () => {
    const onIdle = vi.fn();
    const timer = new IdleTimer({ milliseconds: 1_000, onIdle });
    timer.touch();
    return { timer, onIdle };
  };

  it("rings once nothing has happened for its whole time, however often something happened before", () => {
    const { timer, onIdle } = start();
    for (let touches = 0; touches < 5; touches += 1) {
      vi.advanceTimersByTime(999);
      timer.touch();
    }
    vi.advanceTimersByTime(999);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onIdle).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(10_000);
    expect(onIdle).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("restarts with activity after it has fired", () => {
    const { timer, onIdle } = start();
    vi.advanceTimersByTime(1_000);
    timer.touch();
    vi.advanceTimersByTime(999);
    expect(onIdle).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1);
    expect(onIdle).toHaveBeenCalledTimes(2);
  });

  it("leaves nothing behind when it is stopped", () => {
    const { timer, onIdle } = start();
    timer.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10_000);
    expect(onIdle).not.toHaveBeenCalled();
  });
});
