import { describe, expect, it } from "vitest";
import { isSlow, judgeFailure, maxAttempts } from "../../../functions/job-worker/judge-failure.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { NoSpeakers } from "../../../shared/models/inference/openai/backend.ts";
import { NoTranslation } from "../../../shared/models/inference/translation.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import {
  BackendRefusal,
  BackendTimeout,
  BackendUnreachable,
} from "../../../shared/platform/outbound/failures.ts";

const timeouts = { failsAfterSeconds: 600, waitsSeconds: 86_400 };
const refusal = (status: number, code: "external_service_error" | "service_unavailable") =>
  new AppError(code, { cause: new BackendRefusal(status) });
const failed = refusal(500, "external_service_error");
const down = refusal(503, "service_unavailable");
const unreachable = new AppError("service_unavailable", { cause: new BackendUnreachable("refused") });
const slow = new AppError("service_unavailable", { cause: new BackendTimeout("silent") });

/**
 * The outcome of a piece of which every attempt ends like this. @returns the seconds after which each attempt starts,
 * and the end.
 */
const playOut = (error: unknown, secondsOfAttempt: number) => {
  const starts: number[] = [];
  let held = { failures: 0 };
  let now = 0;
  for (;;) {
    starts.push(now / 1_000);
    const startedAt = now;
    now += secondsOfAttempt * 1_000;
    const verdict = judgeFailure(error, held, timeouts, startedAt, now);
    if (verdict.kind === "fail") return { starts, end: now / 1_000, error: verdict.error };
    held = verdict.next;
    now = verdict.next.due_at;
  }
};

describe("a model that runs out of time", () => {
  it.each([
    ["by the service's own clock", slow, true],
    ["by the worker's deadline", new DOMException("The time is up.", "TimeoutError"), true],
    ["at a gateway", refusal(504, "service_unavailable"), true],
    ["at Cloudflare", refusal(524, "external_service_error"), true],
    ["not, but fails", failed, false],
    ["not, but is down", down, false],
    ["not, but cannot be reached", unreachable, false],
  ])("is recognised: %s", (_, error, expected) => {
    expect(isSlow(error)).toBe(expected);
  });
});

describe("a piece at which the model fails", () => {
  it("is tried five times, with growing pauses, within ten minutes", () => {
    const { starts, end, error } = playOut(failed, 1);
    expect(starts).toHaveLength(maxAttempts);
    const pauses = starts.slice(1).map((start, index) => start - (starts[index] ?? 0) - 1);
    expect(pauses).toEqual([10, 30, 60, 120]);
    expect(end).toBeLessThan(600);
    expect(error.code).toBe("external_service_error");
  });

  it("is not tried again when its replies were no translations: each was requested twice", () => {
    const { starts, error } = playOut(new NoTranslation("refused"), 1);
    expect(starts).toHaveLength(1);
    expect(error).toEqual({
      code: "external_service_error",
      message: "The model refused to translate the text.",
    });
  });

  it.each([60, 200, 270])("is abandoned within ten minutes when each attempt takes %i seconds", (seconds) => {
    const { starts, end } = playOut(slow, seconds);
    expect(starts.length).toBeGreaterThan(1);
    expect(end).toBeLessThanOrEqual(600);
  });

  it.each([
    ["the model refuses it", refusal(400, "external_service_error")],
    ["it is too large for the model", refusal(413, "external_service_error")],
    ["the model does not know its format", refusal(415, "external_service_error")],
    ["the model cannot process it", refusal(422, "external_service_error")],
    ["its encoding cannot be cut", new UnreadableAudioError("The audio cannot be shortened.")],
    ["the upload is gone", new AppError("not_found")],
    ["no model distinguishes its speakers", new NoSpeakers()],
    ["the model cannot hold it", new AppError("context_length_exceeded", { cause: new BackendRefusal(500) })],
  ])("is tried once when %s", (_why, error) => {
    expect(playOut(error, 1).starts).toEqual([0]);
  });
});

describe("a piece whose model is down", () => {
  it.each([
    ["returns 503", down],
    ["refuses connections", unreachable],
  ])("waits for a day when its server %s, with an attempt every five minutes at least", (_how, error) => {
    const { starts, end } = playOut(error, 1);
    expect(end).toBeGreaterThanOrEqual(86_400);
    expect(end).toBeLessThan(86_400 + 310);
    const pauses = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(302);
    expect(pauses[0]).toBeLessThan(10);
  });

  it("that was reached at first is unreachable from its failure, not from the start of the attempt", () => {
    const startedAt = Date.parse("2026-11-22T10:00:00Z");
    const verdict = judgeFailure(down, { failures: 0 }, timeouts, startedAt, startedAt + 240_000);
    expect(verdict).toMatchObject({ waiting: expect.stringContaining("since 2026-11-22T10:04:00.000Z") });
  });

  it("shows since when, and until when it waits", () => {
    const startedAt = Date.parse("2026-11-22T10:00:00Z");
    const verdict = judgeFailure(down, { failures: 0 }, timeouts, startedAt, startedAt + 1_000);
    expect(verdict).toMatchObject({
      kind: "again",
      waiting: expect.stringMatching(/since 2026-11-22T10:00:01\.000Z.* by 2026-11-23T10:00:01\.000Z/),
    });
  });

  it("does not use up its attempts by that", () => {
    const verdict = judgeFailure(down, { failures: 3, failing_since: 0 }, timeouts, 1_000, 2_000);
    expect(verdict).toMatchObject({ next: { failures: 3 } });
  });
});
