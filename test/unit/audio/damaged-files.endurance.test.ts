import { describe, expect, it } from "vitest";
import { audioFiles } from "../../fixtures/audio/corpus.ts";
import { observeMutants, observeReading } from "../../fixtures/audio/observe-reading.ts";
import { endurance } from "../../support/endurance.ts";

const files = await audioFiles();
const mutantsOfEach = endurance(40, 2_000);

describe("A damaged file", () => {
  it.each(files.map((file, seed) => ({ ...file, seed })))(
    "always returns a result, with facts or one message, and can be cut: $name",
    async (file) => {
      const observations = await observeMutants(file, file.seed, mutantsOfEach);
      expect(observations).toHaveLength(mutantsOfEach);
      // Most damage leaves something that can be played; a reader that refused everything would pass all the
      // rest.
      expect(observations.filter(({ outcome }) => outcome === "read").length).toBeGreaterThan(
        mutantsOfEach / 8,
      );
    },
  );

  it("returns a result wherever it was cut off", async () => {
    for (const { bytes } of files) {
      const step = Math.ceil(bytes.length / 40);
      for (let length = 1; length < bytes.length; length += step)
        expect((await observeReading(bytes.subarray(0, length))).outcome).toMatch(
          /^(read|refused|not audio)$/,
        );
    }
  });

  it("leaves no memory behind, however many come", async () => {
    const before = process.memoryUsage().rss;
    const [file] = files;
    if (!file) throw new Error("There is no file to damage.");
    for (let seed = 0; seed < 3; seed += 1) await observeMutants(file, 5_000 + seed, mutantsOfEach);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });
});
