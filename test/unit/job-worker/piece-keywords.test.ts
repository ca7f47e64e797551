import { describe, expect, it, vi } from "vitest";
import { transcribePiece } from "../../../functions/job-worker/transcribe-piece.ts";
import { bufferSource } from "../../../shared/audio/reading/audio-source.ts";
import type { TranscriptionRequest } from "../../../shared/models/inference/transcription.ts";
import { transcriptionItem } from "../../../shared/recordings/jobs/job.ts";
import { jobObjects } from "../../../shared/recordings/jobs/keys.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";

const name = { userId: 7, jobId: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69" };
const piece = (index: number) => ({
  ...{ index, start: index * 560, end: index * 560 + 570 },
  ...{ mediaType: "audio/wav", fileExtension: "wav" },
});

/** Transcribes the second piece of a job. @param before what was heard in the first. */
const promptOfSecond = async (keywords: readonly string[] | undefined, before?: string) => {
  const objects = new Map<string, unknown>([
    [jobObjects.plan(name), [piece(0), piece(1)]],
    [jobObjects.recording(name), "audio"],
    ...(before === undefined
      ? []
      : [[jobObjects.piece(name, 0), { start: 0, end: 570, text: before }] as const]),
  ]);
  const opened: string[] = [];
  const transcribe = vi.fn(async (_request: TranscriptionRequest) => ({ text: "Azze.", segments: [] }));
  const job = transcriptionItem.parse({
    ...{ id: name.jobId, user_id: 7, status: "running", created_at: "2026-11-22T09:30:00.000Z" },
    ...{ file_id: "f", object_key: "k", object_version: "v", day: 20_000, expires_at: 2_000_000_000 },
    ...{ language: "lug", timestamps: true, audio_milliseconds: 1_130_000 },
    facts: {
      ...{ container: "wav", mediaType: "audio/wav", fileExtension: "wav" },
      ...{ codec: "pcm", durationSeconds: 1_130 },
    },
    ...(keywords ? { keywords } : {}),
  });
  const store = {
    open: async (key: string) => {
      opened.push(key);
      const found = objects.get(key);
      return found === undefined ? undefined : bufferSource(Buffer.from(JSON.stringify(found)));
    },
    put: async () => undefined,
  };
  await transcribePiece(
    name,
    1,
    job,
    {
      store,
      cutter: {
        plan: async () => [],
        cut: async () => Buffer.from("audio"),
        cutPart: () => Promise.reject(new Error("The piece is whole.")),
      },
      ...unsureJudgement,
      transcriber: { transcribe },
      stitch: () => ({ text: "" }),
    },
    new AbortController().signal,
  );
  return { prompt: transcribe.mock.calls[0]?.[0].prompt, opened };
};

describe("the keywords of a piece of a recording", () => {
  it.each([
    ["are in their order while the piece before is missing", undefined, "Amina, Okello, Gulu"],
    [
      "end with those of the piece before, the last one last",
      "Okello azze, e Gulu. Okello!",
      "Amina, Gulu, Okello",
    ],
  ])("%s", async (_title, before, prompt) => {
    expect((await promptOfSecond(["Amina", "Okello", "Gulu"], before)).prompt).toBe(prompt);
  });

  it("cost nothing for a job without any", async () => {
    const { prompt, opened } = await promptOfSecond(undefined, "Okello azze.");
    expect(prompt).toBeUndefined();
    expect(opened).not.toContain(jobObjects.piece(name, 0));
  });
});
