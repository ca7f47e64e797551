import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPlatformSecretSource } from "../../../shared/messaging/platform-secrets.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const setUp = () => {
  const values: { current: string; previous: string | undefined } = {
    current: '{"app_secret":"one"}',
    previous: undefined,
  };
  const read = vi.fn(async (version: string) =>
    version === "AWSCURRENT" ? values.current : values.previous,
  );
  return { values, read, source: createPlatformSecretSource(read) };
};

describe("the messaging platform's secrets", () => {
  it("are read once for five minutes", async () => {
    const { source, read } = setUp();
    await Promise.all([source.get(), source.get()]);
    vi.advanceTimersByTime(299_000);
    await source.get();
    expect(read).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(2_000);
    await source.get();
    expect(read).toHaveBeenCalledTimes(4);
  });

  it("are read again on demand, but not more than once a minute", async () => {
    const { source, values } = setUp();
    expect((await source.get()).current.app_secret).toBe("one");
    values.previous = values.current;
    values.current = '{"app_secret":"two"}';
    expect((await source.reload()).current.app_secret).toBe("one");
    vi.advanceTimersByTime(61_000);
    expect(await source.reload()).toEqual({
      current: { app_secret: "two" },
      previous: { app_secret: "one" },
    });
  });

  it("are empty before the operator fills them in", async () => {
    const { source, values } = setUp();
    values.current = "{}";
    expect(await source.get()).toEqual({ current: {}, previous: {} });
  });

  it("that are malformed are reported without their content, and read again", async () => {
    const { source, values } = setUp();
    values.current = '{"app_secret": hunter2';
    await expect(source.get()).rejects.toThrow("is not a JSON object");
    await expect(source.get()).rejects.not.toThrow("hunter2");
    values.current = '{"app_secret":"three"}';
    expect((await source.get()).current.app_secret).toBe("three");
  });
});
