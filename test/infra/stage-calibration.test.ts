import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readStageCatalogue } from "../../infra/stage-catalogue.ts";
import { withTemporaryDirectory } from "./synthesized-service.ts";

const signal = {
  words: 400,
  curve: [
    [0.1, 0.2],
    [0.9, 0.95],
  ],
  checks: [{ from: 0.9, to: 1, count: 9, right: 8 }],
};
const calibration = {
  version: 1,
  measured_at: "2026-11-28T10:00:00.000Z",
  base_url: "https://api.example.org",
  data: { name: "Clinic recordings", about: "" },
  languages: { lug: { recordings: 40, words: signal, segments: { words: 400, curve: null, checks: [] } } },
};

const read = (content: object) =>
  withTemporaryDirectory(async (path) => {
    await writeFile(join(path, "calibration.json"), JSON.stringify(content, undefined, 1));
    return readStageCatalogue({ path, name: "infra/stages/prod" });
  });

describe("A stage's calibration.json", () => {
  it("becomes part of the stage's catalogue", async () => {
    expect(await read(calibration)).toEqual({ calibration });
  });

  it.each([
    [
      "with a curve that falls",
      [
        [0.1, 0.9],
        [0.9, 0.5],
      ],
      "must rise from point to point.",
    ],
    [
      "with a share above 1",
      [
        [0.1, 0.9],
        [0.9, 1.5],
      ],
      "Too big",
    ],
  ])("is refused %s, with the line", async (_title, curve, message) => {
    const languages = { lug: { ...calibration.languages.lug, words: { ...signal, curve } } };
    await expect(read({ ...calibration, languages })).rejects.toThrow(message);
    await expect(read({ ...calibration, languages })).rejects.toThrow(/calibration\.json:\d+: /);
  });
});
