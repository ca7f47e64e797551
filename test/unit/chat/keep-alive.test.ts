import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withKeepAlive } from "../../../functions/chat/keep-alive.ts";
import { withOwnTimers } from "../../support/own-timers.ts";
import { iterate, sourceOf } from "../../support/sources.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = () => {
  const steps: PromiseWithResolvers<string | undefined>[] = [];
  let requested = 0;
  let isLeft = false;
  const step = (index: number) => {
    steps[index] ??= Promise.withResolvers();
    return steps[index];
  };
  const generate = async function* (): AsyncGenerator<string, undefined> {
    try {
      for (;;) {
        requested += 1;
        const text = await step(requested - 1).promise;
        if (text === undefined) return undefined;
        yield text;
      }
    } finally {
      isLeft = true;
    }
  };
  const texts = iterate(withKeepAlive(sourceOf(generate()), 15_000));
  return {
    texts,
    give: (index: number, text?: string) => step(index).resolve(text),
    requested: () => requested,
    isLeft: () => isLeft,
  };
};

const comment = { done: false, value: ": keep-alive\n" };

describe("a stream with keep-alive", () => {
  it("has a comment for every 15 seconds of silence, and then continues", () =>
    withOwnTimers(async (waiting) => {
      const { texts, give } = setup();
      for (let silence = 0; silence < 3; silence += 1) {
        const next = texts.next();
        await vi.advanceTimersByTimeAsync(15_000);
        expect(await next).toEqual(comment);
      }
      const next = texts.next();
      give(0, "one");
      expect(await next).toEqual({ done: false, value: "one" });
      give(1);
      expect(await texts.next()).toEqual({ done: true, value: undefined });
      expect(waiting()).toBe(0);
    }));

  it("counts the silence from the last text", async () => {
    const { texts, give } = setup();
    const first = texts.next();
    await vi.advanceTimersByTimeAsync(14_000);
    give(0, "one");
    expect(await first).toMatchObject({ value: "one" });
    const second = texts.next();
    await vi.advanceTimersByTimeAsync(14_000);
    give(1, "two");
    expect(await second).toMatchObject({ value: "two" });
  });

  it("requests nothing that is not read", async () => {
    const { texts, give, requested } = setup();
    const first = texts.next();
    give(0, "one");
    await first;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requested()).toBe(1);
  });

  it("holds the text after a comment until it is read", async () => {
    const { texts, give, requested } = setup();
    const first = texts.next();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await first).toEqual(comment);
    give(0, "one");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requested()).toBe(1);
    expect(await texts.next()).toEqual({ done: false, value: "one" });
  });

  it("ends at once when it is left while waiting for a text", () =>
    withOwnTimers(async (waiting) => {
      const { texts, give } = setup();
      const first = texts.next();
      void texts.return();
      expect(await first).toEqual({ done: true, value: undefined });
      give(0, "one");
      expect(await texts.next()).toEqual({ done: true, value: undefined });
      expect(waiting()).toBe(0);
    }));

  it("leaves its source when it is left", async () => {
    const { texts, give, isLeft } = setup();
    const first = texts.next();
    give(0, "one");
    await first;
    await texts.return();
    expect(isLeft()).toBe(true);
  });
});
