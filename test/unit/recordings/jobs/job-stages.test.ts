import { describe, expect, it } from "vitest";
import { planPiecesOf } from "../../../../functions/job-worker/plan-stage.ts";
import { chooseTargets, maxCharactersOf } from "../../../../shared/recordings/jobs/choose-targets.ts";
import { isReady, nextStage, stageOf } from "../../../../shared/recordings/jobs/job-stages.ts";
import type { JobStage, TranscriptTarget } from "../../../../shared/recordings/jobs/target.ts";
import { speechParts } from "../../../../shared/recordings/jobs/translated-recording.ts";

const english: TranscriptTarget = { language: "eng", format: "srt" };
const spoken: TranscriptTarget = { language: "lug", format: "audio" };
const translated: JobStage = { kind: "translate", from: 3, languages: ["eng", "lug"] };
const speaking: JobStage = { kind: "speak", from: 7, languages: ["lug"] };

describe("the stages of a recording", () => {
  it("follow from what its targets still need", () => {
    const targets = [english, { ...english, format: "vtt" as const }, spoken];
    expect(nextStage({ targets, stages: [] })).toEqual({ kind: "translate", languages: ["eng", "lug"] });
    expect(nextStage({ targets, stages: [translated] })).toEqual({ kind: "speak", languages: ["lug"] });
    expect(nextStage({ targets, stages: [translated, speaking] })).toBeUndefined();
    expect(nextStage({ targets: [], stages: [] })).toBeUndefined();
    const added = [...targets, { language: "swa", format: "json" as const }];
    expect(nextStage({ targets: added, stages: [translated, speaking] })).toEqual({
      kind: "translate",
      languages: ["swa"],
    });
  });

  it("have the pieces that follow those before them", () => {
    const job = { stages: [translated, speaking] };
    expect([0, 2, 3, 6, 7, 40].map((index) => stageOf(job, index)?.kind)).toEqual([
      ...[undefined, undefined, "translate", "translate", "speak", "speak"],
    ]);
  });

  it("make a target ready when its own is assembled", () => {
    const job = { targets: [english, spoken], stages: [translated, speaking] };
    const ready = (assembled_stages: number) =>
      job.targets.map((target) => isReady({ ...job, assembled_stages }, target));
    expect([ready(0), ready(1), ready(2)]).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });
});

describe("targets", () => {
  const recording = { language: "ach", audio_milliseconds: 60_000 } as const;

  it("are stored by their codes, each once", () => {
    const requested = ["English", "en", "ENG"].map((language) => ({ language, format: "srt" as const }));
    expect(chooseTargets(requested, recording)).toEqual([english]);
  });

  it("count at most twenty characters a second in each language", () => {
    const vtt = { ...english, format: "vtt" as const };
    expect(maxCharactersOf([english, vtt, spoken], 60_001)).toBe(2 * 1_201);
  });

  it("are spoken only for twelve hours", () => {
    const long = { language: "ach", audio_milliseconds: 12 * 3_600_000 + 1 } as const;
    expect(() => chooseTargets([spoken], long)).toThrow(
      expect.objectContaining({ code: "file_too_large", param: "targets" }),
    );
    expect(chooseTargets([english], long)).toHaveLength(1);
  });
});

describe("the pieces of a stage", () => {
  const texts = (...lengths: number[]) => lengths.map((length) => ({ text: "x".repeat(length) }));

  it("are bounded by characters and by count, and have each text once", () => {
    const limits = { characters: 100, count: 3 };
    expect(planPiecesOf("eng", texts(60, 40, 1, 1, 1, 1, 300, 5), limits)).toEqual(
      [
        [0, 2],
        [2, 5],
        [5, 6],
        [6, 7],
        [7, 8],
      ].map(([from, to]) => ({ language: "eng", from, to })),
    );
  });

  it("are one for a transcript without texts", () => {
    expect(planPiecesOf("eng", [], { characters: 1, count: 1 })).toEqual([
      { language: "eng", from: 0, to: 0 },
    ]);
  });
});

describe("the slots of speech", () => {
  const segment = (start: number, end: number) => ({ start, end, text: "said" });

  it("last until the next segment with words starts, or the recording ends", () => {
    const segments = [segment(1, 2), segment(4, 5), segment(6, 7), segment(9, 10)];
    expect(speechParts(segments, ["Emu", "…", "Bbiri", "Ssatu"], 12)).toEqual([
      { segment: 0, text: "Emu", start: 1, slot: 5 },
      { segment: 2, text: "Bbiri", start: 6, slot: 3 },
      { segment: 3, text: "Ssatu", start: 9, slot: 3 },
    ]);
  });

  it("never overlap, even where segments start at the same time or after the end", () => {
    const parts = speechParts([segment(1, 2), segment(1, 3), segment(5, 6)], ["Emu", "Bbiri", "Ssatu"], 4);
    expect(parts.map(({ slot }) => slot)).toEqual([0, 3, 0]);
  });

  it("share the time of a long segment by the length of its parts", () => {
    const sentence = `${"a".repeat(399)}.`;
    const parts = speechParts([segment(10, 70)], [[sentence, sentence, sentence].join(" ")], 80);
    expect(parts.map(({ start, slot }) => [start, slot])).toEqual([
      [10, 20],
      [30, 20],
      [50, 30],
    ]);
  });
});
