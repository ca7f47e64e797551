import { describe, expect, it } from "vitest";
import { hasTranscript, storedJob } from "../../../../shared/recordings/jobs/job.ts";
import { toJob } from "../../../../shared/recordings/jobs/job-view.ts";
import { workRefund } from "../../../../shared/recordings/jobs/job-work.ts";
import { jobKinds } from "../../../../shared/recordings/jobs/stored-kinds.ts";

/** A transcription as version 2.7 stored it. */
const earlier = {
  id: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69",
  user_id: 7,
  status: "running",
  created_at: "2026-11-23T09:00:00.000Z",
  started_at: "2026-11-23T09:00:01.000Z",
  file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
  type: "transcription",
  language: "lug",
  timestamps: true,
  object_key: "uploads/7/council.wav",
  object_version: "v",
  facts: {
    container: "wav",
    mediaType: "audio/wav",
    fileExtension: "wav",
    codec: "pcm",
    durationSeconds: 1_000,
  },
  audio_milliseconds: 1_000_000,
  done_milliseconds: 560_000,
  pieces: 2,
  taken: 2,
  done: new Set([0]),
  plannings: 1,
  is_settled: false,
  is_deleted: false,
  day: 20_780,
  expires_at: 1_800_000_000,
};

describe("a job of the last release", () => {
  it("is a transcription without targets, and shows how far it is", () => {
    const job = storedJob.parse(earlier);
    expect(toJob(job)).toMatchObject({
      status: "running",
      progress: { done: 560, total: 1_000 },
      targets: [],
      has_transcript: false,
      speakers: false,
      stage: { name: "transcribing", done: 1, total: 2 },
    });
    expect(job.type === "transcription" && hasTranscript(job)).toBe(false);
  });

  it("has a transcript once it is completed", () => {
    const job = storedJob.parse({ ...earlier, status: "completed", done_milliseconds: 1_000_000 });
    expect(toJob(job)).toMatchObject({ has_transcript: true, stage: null });
  });

  it("is refunded what was not transcribed of it, and no characters", () => {
    const { UpdateExpression, ExpressionAttributeValues } = workRefund(storedJob.parse(earlier));
    expect(UpdateExpression).toBe("ADD #counter0 :amount0, #usage0 :amount0");
    expect(ExpressionAttributeValues).toEqual({ ":amount0": -440_000 });
  });

  it("may be older still, and have no type", () => {
    const { type: _none, ...older } = earlier;
    expect(toJob(storedJob.parse(older))).toMatchObject({ type: "transcription", targets: [] });
  });
});

describe("a job in the file of its account's data", () => {
  it("is what the account sent, and its outcome, without what only the service needs", () => {
    const exported = jobKinds.find(({ id }) => id === "J1")?.exported;
    const row = exported && "row" in exported ? exported.row : undefined;
    expect(row?.({ PK: "JOBS#7", SK: "JOB#1", ...earlier, keywords: ["Gulu"] })).toEqual({
      keywords: ["Gulu"],
      id: earlier.id,
      type: "transcription",
      status: "running",
      created_at: earlier.created_at,
      started_at: earlier.started_at,
      language: "lug",
      file_id: earlier.file_id,
      audio_milliseconds: 1_000_000,
    });
  });
});
