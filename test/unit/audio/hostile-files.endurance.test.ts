import { describe, expect, it } from "vitest";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { hostileFiles } from "../../fixtures/audio/hostile-files.ts";
import { makeMp4 } from "../../fixtures/audio/make-mp4.ts";
import { observeHostileFile, observePieces } from "../../fixtures/audio/observe-reading.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { collect } from "../../fixtures/audio/sources.ts";

const files = await hostileFiles(1);

describe("A large hostile file", () => {
  it.each(files)("is measured by what can be played, or refused with a message: $name", async (file) => {
    const result = await observeHostileFile(file.file);
    if (typeof file.expected === "number") {
      expect(result).toMatchObject({ durationSeconds: expect.closeTo(file.expected, 2) });
      if (result instanceof Error) return;
      const source = "read" in file.file ? file.file : bufferSource(file.file);
      const cut = collect(trimAudio(source, result, result.durationSeconds / 2));
      if (result.hasWrongTimes) await expect(cut).rejects.toThrow(/times do not match its packets/);
      else expect((await cut).length).toBeLessThanOrEqual(source.size + (1 << 16));
      await observePieces(source, result);
    } else {
      expect(result).toMatchObject({ message: expect.stringMatching(file.expected) });
    }
  });

  it("may have numbers beyond all counting anywhere in the index of an MP4", async () => {
    const file = await makeMp4(50);
    await expect(inspectAudio(bufferSource(file))).resolves.toMatchObject({ codec: "aac" });
    const random = new Random(6);
    const index = file.indexOf("moov");
    let measured = 0;
    for (let count = 0; count < 3_000; count += 1) {
      const lie = Buffer.from(file);
      lie.writeUInt32BE(random.pick([0xffffffff, 0x7fffffff, 0, 1]), index + random.below(600));
      const facts = await observeHostileFile(lie);
      if (facts instanceof Error) continue;
      measured += 1;
      await collect(trimAudio(bufferSource(lie), facts, 0.5)).catch(() => undefined);
    }
    expect(measured).toBeGreaterThan(1_000);
  });
});
