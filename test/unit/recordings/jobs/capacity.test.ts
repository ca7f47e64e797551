import { describe, expect, it } from "vitest";
import { requireCapacity } from "../../../../functions/jobs/require-capacity.ts";
import type { Item, ItemUpdate } from "../../../../shared/platform/storage/table.ts";
import { createJobSpeeds } from "../../../../shared/recordings/jobs/capacity.ts";
import { storedJob } from "../../../../shared/recordings/jobs/job.ts";

const hours = (count: number): number => count * 3_600;

const jobOf = (status: string, seconds: number, done = 0) =>
  storedJob.parse({
    id: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69",
    user_id: 7,
    status,
    created_at: "2026-11-23T09:00:00.000Z",
    file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
    language: "lug",
    timestamps: false,
    object_key: "k",
    object_version: "v",
    facts: {
      container: "wav",
      mediaType: "audio/wav",
      fileExtension: "wav",
      codec: "pcm",
      durationSeconds: seconds,
    },
    audio_milliseconds: seconds * 1_000,
    done_milliseconds: done * 1_000,
    day: 20_780,
    expires_at: 1_800_000_000,
  });

interface Work {
  readonly speed?: number | undefined;
  readonly messages?: number;
  readonly jobs?: readonly ReturnType<typeof jobOf>[];
}

/** The outcome of a new job of this length. By default the model has ten times the speed of speech, and no one waits. */
const outcome = (seconds: number, { speed = 10, messages = 0, jobs = [] }: Work = {}) =>
  requireCapacity(7, [{ type: "transcription", amount: seconds * 1_000 }], {
    speeds: {
      transcription: { read: async () => speed },
      translation: { read: async () => speed },
      speech: { read: async () => speed },
    },
    queue: { count: async () => messages },
    jobs: { list: async () => [...jobs] },
    piecesAtOnce: 6,
  }).then(
    () => "accepted",
    (error: unknown) => error,
  );

describe("a job", () => {
  it("is accepted when its account's slots transcribe it within a day, and its account's jobs before it", async () => {
    // Three slots at ten times the speed of speech: 720 hours a day.
    expect(await outcome(hours(720))).toBe("accepted");
    expect(await outcome(hours(721))).toMatchObject({ code: "queue_full", status: 429 });
    const jobs = [
      jobOf("running", hours(600), hours(100)),
      jobOf("queued", hours(200)),
      jobOf("failed", hours(500)),
    ];
    expect(await outcome(hours(20), { jobs })).toBe("accepted");
    expect(await outcome(hours(21), { jobs })).toMatchObject({ code: "queue_full" });
  });

  it("takes turns with the slots of other accounts, so short ones are accepted when long ones are not", async () => {
    // With this account ten thousand, with three slots each.
    const work = { messages: 29_997 };
    expect(await outcome(hours(3), work)).toMatchObject({
      code: "queue_full",
      message: expect.stringContaining("about 500 hours"),
      extra: { estimated_seconds: hours(500) },
      retryAfterSeconds: hours(24),
    });
    expect(await outcome(180, work)).toBe("accepted");
  });

  it("is not delayed by the messages of its own account's jobs", async () => {
    const jobs = Array.from({ length: 100 }, () => jobOf("queued", hours(1)));
    expect(await outcome(hours(1), { jobs, messages: 300 })).toBe("accepted");
    expect(await outcome(hours(1), { jobs, messages: 15_000 })).toMatchObject({ code: "queue_full" });
  });

  it("that is refused may be tried again after the time by which it would be late", async () => {
    expect(await outcome(hours(750))).toMatchObject({ retryAfterSeconds: hours(1) });
    expect(await outcome(hours(720) + 30)).toMatchObject({ retryAfterSeconds: 60 });
  });
});

/** A table that adds numbers, as `ADD` does, and returns the newest items first. */
const counters = () => {
  const items = new Map<string, Record<string, number>>();
  return {
    update: async ({ Key, ExpressionAttributeValues: values = {} }: ItemUpdate) => {
      const { audio_milliseconds = 0, work_milliseconds = 0 } = items.get(Key.SK) ?? {};
      items.set(Key.SK, {
        audio_milliseconds: audio_milliseconds + Number(values[":amount"]),
        work_milliseconds: work_milliseconds + Number(values[":work"]),
      });
      return { applied: true, item: {} };
    },
    query: async ({ limit = 0 }): Promise<Item[]> =>
      [...items]
        .toSorted(([one], [other]) => other.localeCompare(one))
        .slice(0, limit)
        .map(([, item]) => item),
  };
};

describe("the speed of the last recordings", () => {
  it("is that of the last two hours with work, timeouts included; unknown before the first success", async () => {
    let now = Date.UTC(2026, 10, 23, 9);
    const { read, note } = createJobSpeeds(counters(), () => now).transcription;
    expect(await read()).toBeUndefined();
    await note(0, 240_000);
    expect(await read()).toBeUndefined();
    await Promise.all([note(570_000, 50_000), note(570_000, 50_000)]);
    expect(await read()).toBeCloseTo(1_140 / 340);
    now += 3_600_000;
    await note(600_000, 60_000);
    now += 30 * 3_600_000;
    await note(600_000, 100_000);
    expect(await read()).toBeCloseTo(1_200 / 160);
  });
});
