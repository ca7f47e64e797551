import { describe, expect, it } from "vitest";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { NotAudioError, UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { hostileFiles } from "../../fixtures/audio/hostile-files.ts";
import { flacMetadata, flacRate, makeFlac } from "../../fixtures/audio/make-flac.ts";
import { makeMp4 } from "../../fixtures/audio/make-mp4.ts";
import { observeHostileFile, observePieces } from "../../fixtures/audio/observe-reading.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { collect } from "../../fixtures/audio/sources.ts";
import { endurance } from "../../support/endurance.ts";

/** `npm test` reads the large ones at a small part of their size. */
const files = await hostileFiles(endurance(0.005, 1));

const falseTimes = /times do not match its packets/;

describe("A hostile file", () => {
  it.each(files)("is read like any other without the harm: $name", async ({ honest, honestSeconds }) => {
    const { durationSeconds } = await inspectAudio(bufferSource(honest));
    expect(durationSeconds).toBeCloseTo(honestSeconds, 2);
  });

  it.each(files)("is measured by what can be played, or refused with a message: $name", async (file) => {
    const result = await observeHostileFile(file.file);
    if (typeof file.expected === "number") {
      expect(result).toMatchObject({ durationSeconds: expect.closeTo(file.expected, 2) });
    } else {
      expect(result).toSatisfy(
        (error) => error instanceof NotAudioError || error instanceof UnreadableAudioError,
      );
      expect(result).toMatchObject({ message: expect.stringMatching(file.expected) });
    }
  });
});

describe("FLAC that was cut off anywhere", () => {
  it("is as long as its whole frames, or one less when it ends within a frame", async () => {
    const seconds = 5;
    const file = makeFlac(seconds * flacRate, { metadata: [flacMetadata(4, Buffer.alloc(300))] });
    const [framesStart, frameBytes, frameSeconds] = [4 + 38 + 304, 13, 4_096 / flacRate];
    for (let length = 5; length < file.length; length += 1) {
      const wholeFrames = Math.max(0, Math.floor((length - framesStart) / frameBytes));
      const result = await observeHostileFile(file.subarray(0, length));
      if (wholeFrames === 0) expect(result).toBeInstanceOf(UnreadableAudioError);
      const frames = result instanceof Error ? 0 : result.durationSeconds / frameSeconds;
      expect(Math.abs(frames - wholeFrames)).toBeLessThanOrEqual(1);
      // The last frame is a shorter one.
      if (wholeFrames < 19) expect(frames % 1).toBe(0);
    }
    expect(await observeHostileFile(file)).toMatchObject({ durationSeconds: seconds });
  });
});

describe("What can be measured of a hostile file", () => {
  it.each(files.filter(({ expected }) => typeof expected === "number"))(
    "can be cut, or is refused with a message: $name",
    async ({ file }) => {
      const source = "read" in file ? file : bufferSource(file);
      const facts = await inspectAudio(source);
      const seconds = facts.durationSeconds / 2;
      const output = await collect(trimAudio(source, facts, seconds)).catch((error: unknown) => error);
      if (output instanceof Buffer) expect(output.length).toBeLessThanOrEqual(source.size + (1 << 20));
      else expect(output).toBeInstanceOf(UnreadableAudioError);
      if (facts.hasWrongTimes) expect(output).toMatchObject({ message: expect.stringMatching(falseTimes) });
      await observePieces(source, facts);
    },
  );

  it("may have numbers beyond all counting anywhere in the index of an MP4", async () => {
    const file = await makeMp4(50);
    await expect(inspectAudio(bufferSource(file))).resolves.toMatchObject({ codec: "aac" });
    const random = new Random(6);
    const index = file.indexOf("moov");
    const lies = endurance(100, 3_000);
    let measured = 0;
    for (let count = 0; count < lies; count += 1) {
      const lie = Buffer.from(file);
      lie.writeUInt32BE(random.pick([0xffffffff, 0x7fffffff, 0, 1]), index + random.below(600));
      const facts = await observeHostileFile(lie);
      if (facts instanceof Error) continue;
      measured += 1;
      await collect(trimAudio(bufferSource(lie), facts, 0.5)).catch(() => undefined);
    }
    expect(measured).toBeGreaterThan(lies / 3);
  });
});
