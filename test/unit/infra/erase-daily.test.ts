import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eraseDaily } from "../../../infra/local/erase-daily.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("the local service erases disowned accounts a minute after its start and then daily, until it ends", async () => {
  const erase = vi.fn(async () => {
    throw new Error("The table does not respond.");
  });
  const end = eraseDaily(erase);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(erase).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(erase).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * 24 * 60 * 60 * 1_000);
  expect(erase).toHaveBeenCalledTimes(3);
  end();
  await vi.advanceTimersByTimeAsync(2 * 24 * 60 * 60 * 1_000);
  expect(erase).toHaveBeenCalledTimes(3);
});
