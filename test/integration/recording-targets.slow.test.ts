import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { accountCounters } from "../../shared/accounts/limits/keys.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { BackendRefusal } from "../../shared/platform/outbound/failures.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { type JobName, jobKeys, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { TranscriptTarget } from "../../shared/recordings/jobs/target.ts";
import { heardSpans } from "../support/heard-spans.ts";
import { resultsOver, saySegments } from "../support/job-results.ts";
import { type JobWorks, openJobWorks, pieceSeconds } from "../support/job-works.ts";
import { readAll } from "../support/read-all.ts";
import { decodeAudio } from "../support/test-audio.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let testTable: TestTable;
let bucket: TestBucket;
let table: Table;
beforeAll(async () => {
  [testTable, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
  table = testTable.open();
});
afterAll(async () => {
  await Promise.all([testTable.close(), bucket.close()]);
});

let results: ReturnType<typeof resultsOver>;
beforeAll(() => {
  results = resultsOver(bucket.store);
});

const worksWith = (options: Partial<Parameters<typeof openJobWorks>[0]> = {}) =>
  openJobWorks({ table, store: bucket.store, model: saySegments, ...options });

const callback_url = "https://example.org/jobs";
const toEnglish: TranscriptTarget = { language: "eng", format: "srt" };
const spokenAcholi: TranscriptTarget = { language: "ach", format: "audio" };
const targets = [toEnglish, spokenAcholi];

/** Seconds of recordings and characters that count on an account's month. */
const counted = async (userId: number) => {
  const item = (await testTable.read(accountKeys.access(userId))) ?? {};
  const { month } = windowsAt(Date.now());
  return {
    seconds: Number(item[accountCounters.audio(month)] ?? 0) / 1_000,
    characters: Number(item[accountCounters.characters(month)] ?? 0),
  };
};

const timesOf = (subtitles: string): string[] => subtitles.split("\n").filter((line) => line.includes("-->"));

/** What a fake recording of this many pieces counts in a language. */
const charactersIn = async (works: JobWorks, name: JobName): Promise<number> =>
  ((await results.jsonOf(works, name)).segments ?? []).reduce((sum, { text }) => sum + text.length, 0);

const refused = new AppError("external_service_error", { cause: new BackendRefusal(400) });

describe("a recording with targets", () => {
  it("is translated once for each language, with the segments around as context, and spoken in its slots", async () => {
    const works = worksWith({ slotsPerAccount: 2 });
    const userId = await createTestAccount(table);
    const all = [...targets, { language: "eng", format: "json" } as const];
    const name = await works.post(userId, 2, { callback_url, targets: all, characters: 5_000 });
    expect(await counted(userId)).toEqual({ seconds: 1_000, characters: 5_000 });
    await works.work({ atOnce: 2 });
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed", is_settled: true });

    const transcript = await results.jsonOf(works, name);
    const texts = (transcript.segments ?? []).map(({ text }) => text);
    expect(texts).toHaveLength(6);
    const translated = works.requested.filter((text) => texts.includes(text));
    expect(translated.toSorted()).toEqual([...texts, ...texts].toSorted());
    expect(works.contexts).toContain(`${texts[0]}\n${texts[2]}`);

    const english = (await results.fileOf(works, name, { language: "English", format: "srt" })).toString();
    expect(timesOf(english)).toEqual(
      timesOf((await results.fileOf(works, name, { format: "srt" })).toString()),
    );
    expect(english).toContain(texts[3]?.toUpperCase());
    const vtt = (await results.fileOf(works, name, { language: "eng", format: "vtt" })).toString();
    expect(vtt).toMatch(/^WEBVTT\n/);

    const acholi = await results.jsonOf(works, name, { language: "ach" });
    expect(acholi).toMatchObject({ language: "ach", duration_seconds: 1_000 });
    // What ends with 500 starts at 498 and 998: two seconds for two and a half of speech.
    expect(acholi.segments?.map(({ speech }) => speech?.fits)).toEqual([true, true, true, true, true, true]);
    expect(acholi.segments?.[2]?.speech?.speed).toBeCloseTo(1, 1);

    const { samples, sampleRate } = await decodeAudio(
      "opus",
      await results.fileOf(works, name, { language: "ach", format: "audio" }),
    );
    expect(samples.length / sampleRate).toBeCloseTo(1_000, 2);
    const spans = heardSpans(samples, sampleRate);
    expect(spans).toHaveLength(6);
    for (const [index, { start }] of (transcript.segments ?? []).entries()) {
      expect(Math.abs((spans[index]?.[0] ?? 0) - start)).toBeLessThan(0.05);
    }
    const characters = 2 * texts.reduce((sum, text) => sum + text.length, 0);
    expect(await counted(userId)).toEqual({ seconds: 1_000, characters });
    expect(works.callbacks).toHaveLength(1);
    expect(works.callbacks).toMatchObject([
      {
        event: "job.completed",
        data: { targets: [{ is_ready: true }, { is_ready: true }, { is_ready: true }] },
      },
    ]);
  });

  it("is the same when every message comes twice", async () => {
    const works = worksWith({ slotsPerAccount: 2 });
    const name = await works.post(await createTestAccount(table), 2, { targets, characters: 5_000 });
    await works.work({ isTwice: true, atOnce: 2 });
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed" });
    expect((await results.jsonOf(works, name, { language: "ach" })).segments).toHaveLength(6);
  });

  it("shows its stage, and its transcript can be read while it is translated", async () => {
    const views: unknown[] = [];
    const works = worksWith({
      translation: async (text) => {
        const job = await works.jobs.find(name);
        views.push(job?.type === "transcription" && [job.stages.length, job.pieces]);
        expect((await results.jsonOf(works, name)).segments).toHaveLength(3);
        await expect(results.result(works, name, { language: "eng" })).rejects.toMatchObject({
          code: "job_not_completed",
        });
        return text.toUpperCase();
      },
    });
    const name = await works.post(await createTestAccount(table), 1, {
      targets: [toEnglish],
      characters: 900,
    });
    await works.work();
    expect(views[0]).toEqual([1, 2]);
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed", assembled_stages: 1 });
  });

  it("keeps its transcript when a model refuses its text, and is refunded what was not translated", async () => {
    const works = worksWith({
      translation: (text) => (text.includes("part 1") ? Promise.reject(refused) : Promise.resolve(text)),
    });
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 1, { callback_url, targets, characters: 5_000 });
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ status: "failed" });
    expect((await results.jsonOf(works, name)).segments).toHaveLength(3);
    await expect(results.result(works, name, { language: "eng" })).rejects.toMatchObject({
      code: "job_not_completed",
    });
    expect(await counted(userId)).toEqual({ seconds: pieceSeconds, characters: 0 });
    expect(works.callbacks).toMatchObject([{ event: "job.failed", data: { has_transcript: true } }]);
  });

  it("never counts more than what was reserved", async () => {
    const works = worksWith();
    const userId = await createTestAccount(table);
    await works.post(userId, 1, { targets: [toEnglish], characters: 10 });
    await works.work();
    expect(await counted(userId)).toEqual({ seconds: pieceSeconds, characters: 10 });
  });

  it("is refused when the month has too few characters, and counts nothing then", async () => {
    const works = worksWith();
    const userId = await createTestAccount(table);
    await expect(works.post(userId, 1, { targets, characters: 500_001 })).rejects.toMatchObject({
      code: "quota_exceeded",
      message: expect.stringContaining("500000 characters"),
    });
    await expect(works.post(userId, 22, { targets, characters: 10 })).rejects.toMatchObject({
      code: "quota_exceeded",
      message: expect.stringContaining("180 minutes"),
    });
    expect(await counted(userId)).toEqual({ seconds: 0, characters: 0 });
  });

  it("stops within seconds when it is deleted, and leaves nothing behind", async () => {
    const works = worksWith({
      translation: async (text) => {
        if (works.requested.length === 3) await deleteJob(name, works);
        return text;
      },
    });
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 1, { callback_url, targets, characters: 5_000 });
    await works.work();
    expect(await works.jobs.read(name)).toBeUndefined();
    expect(works.callbacks).toMatchObject([{ event: "job.cancelled" }]);
    expect(await counted(userId)).toEqual({ seconds: pieceSeconds, characters: 0 });
    expect(await readAll(bucket.store.list(jobObjects.folder(name)))).toEqual([]);
    expect(await table.query({ partition: jobKeys.ofAccount(userId) })).toEqual([]);
  });

  it("without a word ends as any other", async () => {
    const works = worksWith({ model: async () => ({ text: "", segments: [] }) });
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 1, { targets, characters: 5_000 });
    await works.work();
    expect(await works.jobs.find(name)).toMatchObject({ status: "completed" });
    expect(await results.jsonOf(works, name, { language: "eng" })).toMatchObject({ text: "", segments: [] });
    const audio = await decodeAudio(
      "opus",
      await results.fileOf(works, name, { language: "ach", format: "audio" }),
    );
    expect(audio.samples.length / audio.sampleRate).toBeCloseTo(pieceSeconds, 2);
    expect(await counted(userId)).toEqual({ seconds: pieceSeconds, characters: 0 });
  });

  it("is translated in parts when its model returns no times", async () => {
    const sentences = Array.from({ length: 100 }, (_, index) => `This is sentence number ${index}.`);
    const works = worksWith({ model: async () => ({ text: sentences.join(" "), segments: undefined }) });
    const name = await works.post(await createTestAccount(table), 1, { targets, characters: 9_000 });
    await works.work();
    const translated = works.requested.filter((text) => text.startsWith("This"));
    expect(Math.max(...translated.map((text) => text.length))).toBeLessThanOrEqual(1_000);
    const { text, segments } = await results.jsonOf(works, name, { language: "ach" });
    expect(text).toBe(sentences.join(" ").toUpperCase());
    expect(segments).toMatchObject([{ start: 0, end: pieceSeconds, speech: { fits: true } }]);
    expect(works.spoken.length).toBeGreaterThan(4);
  });
});

describe("targets that are added to a completed recording", () => {
  it("are worked on, while all results before them stay readable, and call back again", async () => {
    const works = worksWith();
    const userId = await createTestAccount(table);
    const name = await works.post(userId, 2, { callback_url });
    await works.work();
    const characters = await charactersIn(works, name);
    expect(await results.add(works, name, [toEnglish])).toMatchObject({ status: "running", characters });
    expect((await results.jsonOf(works, name)).segments).toHaveLength(6);
    expect(await counted(userId)).toEqual({ seconds: 1_000, characters });
    await works.work();
    const english = await results.jsonOf(works, name, { language: "eng" });
    expect(english.segments).toHaveLength(6);

    await results.add(works, name, [spokenAcholi, { language: "eng", format: "vtt" }]);
    expect(await results.jsonOf(works, name, { language: "eng" })).toEqual(english);
    await works.work();
    expect((await results.jsonOf(works, name, { language: "ach" })).segments?.[0]?.speech?.fits).toBe(true);
    expect(await results.jsonOf(works, name, { language: "eng" })).toEqual(english);
    expect(await counted(userId)).toEqual({ seconds: 1_000, characters: 2 * characters });
    expect(works.callbacks.map(({ earlierEnds }) => earlierEnds)).toEqual([undefined, 1, 2]);
    expect(works.requested.filter((text) => text === "recording 1 part 1")).toHaveLength(2);
  });

  it("change nothing when the job has them, and are at most five", async () => {
    const works = worksWith();
    const name = await works.post(await createTestAccount(table), 1, {
      targets: [toEnglish],
      characters: 900,
    });
    await works.work();
    expect(await results.add(works, name, [toEnglish])).toMatchObject({ status: "completed" });
    const many = ["ach", "nyn", "teo", "lgg", "swa"].map((language) => ({
      language,
      format: "text" as const,
    }));
    await expect(results.add(works, name, many)).rejects.toMatchObject({ code: "bad_request" });
  });

  it("are refused while the job runs, and when the month has too few characters", async () => {
    const works = worksWith();
    const userId = await createTestAccount(table);
    const running = await works.post(userId, 1);
    await expect(results.add(works, running, [toEnglish])).rejects.toMatchObject({
      code: "job_not_completed",
    });
    await works.work();
    await works.postDocument(userId, "Hello", 499_990);
    await expect(results.add(works, running, [toEnglish])).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(await works.jobs.find(running)).toMatchObject({ status: "completed", targets: [] });
  });
});
