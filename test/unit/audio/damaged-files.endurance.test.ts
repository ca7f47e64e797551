import { describe, expect, it } from "vitest";
import { audioFiles } from "../../fixtures/audio/corpus.ts";
import { observeMutants } from "../../fixtures/audio/observe-reading.ts";

const files = await audioFiles();
const mutantsOfEach = 2_000;

describe("Thousands of damaged files", () => {
  it.each(files.map((file, seed) => ({ ...file, seed })))(
    "always give a result, with facts or one message, and can be cut: $name",
    async (file) => {
      const observations = await observeMutants(file, file.seed, mutantsOfEach);
      expect(observations).toHaveLength(mutantsOfEach);
      expect(observations.filter(({ outcome }) => outcome === "read").length).toBeGreaterThan(
        mutantsOfEach / 8,
      );
    },
  );

  it("leave no memory behind, however many come", async () => {
    const before = process.memoryUsage().rss;
    const [file] = files;
    if (!file) throw new Error("There is no file to damage.");
    for (let seed = 0; seed < 3; seed += 1) await observeMutants(file, 5_000 + seed, mutantsOfEach);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });
});
