import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { JobProgress } from "../../../functions/console/recordings/job-state.tsx";
import { render } from "./rendered.ts";

const shown = (job: Parameters<typeof JobProgress>[0]["job"]): string =>
  render(createElement(JobProgress, { job }));

const job = {
  status: "running" as const,
  done_milliseconds: 75_000,
  audio_milliseconds: 3_605_900,
  pieces: 7,
  done: new Set([0, 1]),
  targets: [],
  stages: [],
  assembled_stages: 0,
  extensions: 0,
} satisfies Parameters<typeof JobProgress>[0]["job"];

describe("The progress of a recording", () => {
  it("says how much of it is transcribed", () => {
    const html = shown(job);
    expect(html).toContain("Transcribed 1:15 of 1:00:05.");
    expect(html).toContain('value="75" max="3605"');
  });

  it("counts the parts of its translations and speech once the transcript is complete", () => {
    const done = new Set([0, 1, 2, 3, 4, 5, 6, 7]);
    const translating = { kind: "translate" as const, from: 7, languages: ["eng"] };
    const html = shown({ ...job, pieces: 10, done, stages: [translating] });
    expect(html).toContain("Translated 1 of 3 parts.");
    expect(html).toContain('value="1" max="3"');
    const speaking = { kind: "speak" as const, from: 8, languages: ["lug"] };
    const targets = [{ language: "eng", format: "srt" as const }];
    expect(shown({ ...job, extensions: 1, targets })).toContain("Translated 0 of 1 parts.");
    expect(shown({ ...job, pieces: 12, done, stages: [translating, speaking] })).toContain(
      "Spoken 0 of 4 parts.",
    );
  });
});
