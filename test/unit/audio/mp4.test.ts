import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import { describe, expect, it } from "vitest";
import { NotAudioError, UnreadableAudioError } from "../../../shared/audio/audio-errors.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import {
  box,
  type Mp4Layout,
  makeMp4,
  mp4PacketSamples,
  mp4Rate,
  withBoxContent,
} from "../../fixtures/audio/make-mp4.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { collect, countingSource, fixture } from "../../fixtures/audio/sources.ts";

const packetSeconds = mp4PacketSamples / mp4Rate;
const layouts: readonly Mp4Layout[] = ["start", "end", "fragmented"];

/** How another program, written by others, reads the file. */
const readElsewhere = async (file: Buffer) => {
  const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error("The file has no sound.");
  return { durationSeconds: await track.computeDuration(), codec: await track.getCodec() };
};

describe("An MP4 file", () => {
  it.each(["tone.m4a", "tone-faststart.m4a", "tone-fragmented.m4a", "tone-opus.mp4"])(
    "is as long for us as for another reader: %s",
    async (name) => {
      const file = fixture(name);
      const facts = await inspectAudio(bufferSource(file));
      const elsewhere = await readElsewhere(file);
      expect(facts.codec).toBe(elsewhere.codec);
      expect(facts.durationSeconds).toBeCloseTo(elsewhere.durationSeconds, 2);
    },
  );

  it.each(layouts)("can be read by others after the cut, index at the %s before it", async (layout) => {
    const random = new Random(7);
    for (let count = 0; count < 20; count += 1) {
      const packets = 20 + random.below(300);
      const file = await makeMp4(packets, layout, 1 + random.below(400));
      const source = bufferSource(file);
      const facts = await inspectAudio(source);
      expect(facts.durationSeconds).toBeCloseTo(packets * packetSeconds, 2);
      const seconds = 0.1 + random.below(Math.floor((packets * packetSeconds - 0.7) * 1_000)) / 1_000;
      const output = await collect(trimAudio(source, facts, seconds));
      const { durationSeconds, codec } = await readElsewhere(output);
      expect(codec).toBe("aac");
      expect(durationSeconds).toBeGreaterThan(seconds - 0.001);
      expect(durationSeconds).toBeLessThan(seconds + packetSeconds + 0.001);
    }
  });

  it.each(layouts)("keeps its packets as they are when it is cut, index at the %s", async (layout) => {
    const file = await makeMp4(100, layout, 50);
    const source = bufferSource(file);
    const output = await collect(trimAudio(source, await inspectAudio(source), 2));
    const packets = Buffer.concat(Array.from({ length: 32 }, (_, index) => Buffer.alloc(50, index)));
    expect(output.subarray(output.indexOf("mdat") + 4).equals(packets)).toBe(true);
  });

  it("keeps what a player leaves out at the start, so that the cut sounds the same", async () => {
    const source = bufferSource(fixture("tone.m4a"));
    const output = await collect(trimAudio(source, await inspectAudio(source), 0.5));
    const edits = output.subarray(output.indexOf("elst") + 4);
    expect(edits.readUInt32BE(12)).toBe(1_024);
  });

  it("puts its index before the sound when it is cut, so that it can be played while it comes", async () => {
    const source = bufferSource(await makeMp4(100, "end"));
    const output = await collect(trimAudio(source, await inspectAudio(source), 2));
    expect(output.indexOf("moov")).toBeLessThan(output.indexOf("mdat"));
  });

  it("loses its film when it is cut", async () => {
    const sound = await makeMp4(100, "start");
    const index = sound.indexOf("moov") - 4;
    const silent = fixture("silent-video.mp4");
    const film = silent.indexOf("trak") - 4;
    const filmTrack = silent.subarray(film, film + silent.readUInt32BE(film));
    const both = Buffer.concat([
      sound.subarray(0, index),
      box("moov", filmTrack, sound.subarray(index + 8, index + sound.readUInt32BE(index))),
      sound.subarray(index + sound.readUInt32BE(index)),
    ]);
    const shifted = withBoxContent(both, "avc1", () => undefined);
    const facts = await inspectAudio(bufferSource(shifted));
    expect(facts).toMatchObject({ codec: "aac", durationSeconds: expect.closeTo(6.4, 2) });
    const output = await collect(trimAudio(bufferSource(shifted), facts, 2));
    expect(output.includes("avc1")).toBe(false);
  });

  it("is read in a few pieces even when its index is at the end of a large file", async () => {
    const source = countingSource(bufferSource(await makeMp4(20_000, "end", 300)));
    await expect(inspectAudio(source)).resolves.toMatchObject({ codec: "aac" });
    expect(source.reads.length).toBeLessThan(6);
  });

  it("with nothing but film is no audio", async () => {
    await expect(inspectAudio(bufferSource(fixture("silent-video.mp4")))).rejects.toThrow(NotAudioError);
  });

  it.each([
    ["encrypted", "enca", /encrypted/],
    ["in an encoding nobody knows", "zzzz", /unknown encoding/],
  ])("that is %s is refused with a sentence", async (_, type, message) => {
    const file = Buffer.from(fixture("tone.m4a"));
    file.write(type, file.indexOf("mp4a", file.indexOf("stsd")), "latin1");
    const refusal = inspectAudio(bufferSource(file));
    await expect(refusal).rejects.toThrow(UnreadableAudioError);
    await expect(refusal).rejects.toThrow(message);
  });
});
