import { describe, expect, it } from "vitest";
import { type SoundFile, soundFiles } from "../../fixtures/audio/corpus.ts";
import { mutate } from "../../fixtures/audio/mutate.ts";
import { type Observation, observeReading } from "../../fixtures/audio/observe-reading.ts";
import { Random } from "../../fixtures/audio/random.ts";

const files = await soundFiles();
const mutantsOfEach = 500;

const observeMutants = async ({ name, bytes }: SoundFile, seed: number): Promise<readonly Observation[]> => {
  const observations: Observation[] = [];
  for (let number = 0; number < mutantsOfEach; number += 1) {
    const random = new Random(seed * 1_000_003 + number);
    try {
      observations.push(await observeReading(mutate(bytes, random)));
    } catch (error) {
      throw new Error(`Mutant ${number} of ${name} was not answered well.`, { cause: error });
    }
  }
  return observations;
};

describe("A damaged file", { timeout: 60_000 }, () => {
  it.each(files.map((file, seed) => ({ ...file, seed })))(
    "is always answered in time, with facts or one sentence, and can be cut: $name",
    async (file) => {
      const observations = await observeMutants(file, file.seed);
      expect(observations).toHaveLength(mutantsOfEach);
      // Most damage leaves something that can be played; a reader that refused everything would pass all the
      // rest.
      expect(observations.filter(({ outcome }) => outcome === "read").length).toBeGreaterThan(
        mutantsOfEach / 8,
      );
    },
  );

  it("leaves no memory behind, however many come", async () => {
    const before = process.memoryUsage().rss;
    const [file] = files;
    if (!file) throw new Error("There is no file to damage.");
    for (let seed = 0; seed < 3; seed += 1) await observeMutants(file, 5_000 + seed);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  it("is answered wherever it was cut off", async () => {
    for (const { bytes } of files) {
      const step = Math.ceil(bytes.length / 40);
      for (let length = 1; length < bytes.length; length += step)
        await observeReading(bytes.subarray(0, length));
    }
  });
});
