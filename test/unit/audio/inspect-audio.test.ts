import { describe, expect, it } from "vitest";
import { type AudioFacts, bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { flacRate, makeFlac } from "../../fixtures/audio/make-flac.ts";
import { makeMp4 } from "../../fixtures/audio/make-mp4.ts";
import {
  adtsFrameSamples,
  adtsRate,
  id3Tag,
  makeAdts,
  makeLameFrame,
  makeMp3,
  mp3FrameSamples,
  mp3Rate,
} from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggVorbis } from "../../fixtures/audio/make-ogg.ts";
import { makeCluster, makeWebm } from "../../fixtures/audio/make-webm.ts";
import { countingSource, fixture, maxRead, repeatingSource } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer): Promise<AudioFacts> => inspectAudio(bufferSource(bytes));

describe("A recording of a real encoder", () => {
  // Seconds as a decoder reports them.
  it.each([
    ["tone-vbr.mp3", "mp3", "mp3", 1.5, 16_000],
    ["tone.aac", "adts", "aac", 1.6, 16_000],
    ["tone-opus.ogg", "ogg", "opus", 1.5, 48_000],
    ["tone-vorbis.ogg", "ogg", "vorbis", 1.5, 16_000],
    ["tone-flac.ogg", "ogg", "flac", 1.5, 8_000],
    ["tone.flac", "flac", "flac", 1.5, 8_000],
    ["tone.m4a", "mp4", "aac", 1.509, 44_100],
    ["tone-faststart.m4a", "mp4", "aac", 1.509, 44_100],
    ["tone-fragmented.m4a", "mp4", "aac", 1.533, 44_100],
    ["tone-alac.m4a", "mp4", "alac", 1.5, 8_000],
    ["tone-opus.mp4", "mp4", "opus", 1.513, 48_000],
    ["tone.webm", "webm", "opus", 1.5, 48_000],
    ["tone-live.webm", "webm", "opus", 1.5, 48_000],
    ["tone-vorbis.webm", "webm", "vorbis", 1.504, 16_000],
    ["tone-adpcm.wav", "wav", "adpcm", 1.531, 8_000],
  ])("is known by its bytes: %s", async (name, container, codec, seconds, sampleRate) => {
    const facts = await inspect(fixture(name));
    expect(facts).toMatchObject({ container, codec, sampleRate, channels: 1 });
    expect(Math.abs(facts.durationSeconds - seconds)).toBeLessThan(0.04);
  });

  it.each([
    ["tone-vbr.mp3", "audio/mpeg", "mp3"],
    ["tone.aac", "audio/aac", "aac"],
    ["tone-opus.ogg", "audio/ogg", "ogg"],
    ["tone.flac", "audio/flac", "flac"],
    ["tone.m4a", "audio/mp4", "m4a"],
    ["tone.webm", "audio/webm", "webm"],
    ["tone-adpcm.wav", "audio/wav", "wav"],
  ])("says under which type and extension to send it on: %s", async (name, mediaType, fileExtension) => {
    await expect(inspect(fixture(name))).resolves.toMatchObject({ mediaType, fileExtension });
  });
});

describe("The duration", () => {
  it("of MP3 is the number of its frames", async () => {
    const { durationSeconds } = await inspect(makeMp3(1_000));
    expect(durationSeconds).toBeCloseTo((1_000 * mp3FrameSamples) / mp3Rate, 9);
  });

  it("of MP3 leaves out what the encoder added at both ends", async () => {
    const { durationSeconds } = await inspect(Buffer.concat([makeLameFrame(100, 576, 1_000), makeMp3(100)]));
    expect(durationSeconds).toBeCloseTo((100 * mp3FrameSamples - 1_576) / mp3Rate, 9);
  });

  it("of MP3 does not believe a header that announces other frames", async () => {
    const { durationSeconds } = await inspect(
      Buffer.concat([makeLameFrame(4_000_000, 576, 1_000), makeMp3(100)]),
    );
    expect(durationSeconds).toBeCloseTo((100 * mp3FrameSamples - 576) / mp3Rate, 9);
  });

  it("of MP3 is the same behind tags, and before them", async () => {
    const title = Buffer.alloc(128);
    title.write("TAGA title");
    const tagged = Buffer.concat([id3Tag(300_000), id3Tag(20), makeMp3(100), title]);
    expect((await inspect(tagged)).durationSeconds).toBe((await inspect(makeMp3(100))).durationSeconds);
  });

  it("of AAC is the number of its frames", async () => {
    const { durationSeconds } = await inspect(makeAdts(1_000));
    expect(durationSeconds).toBeCloseTo((1_000 * adtsFrameSamples) / adtsRate, 9);
  });

  it("of Opus leaves out the pre-skip", async () => {
    expect((await inspect(makeOggOpus(500, { preSkip: 480 }))).durationSeconds).toBeCloseTo(9.99, 9);
  });

  it("of a piece of a broadcast is that of its packets, not of its last position", async () => {
    const { durationSeconds } = await inspect(makeOggOpus(500, { startGranule: 480_000 }));
    expect(Math.abs(durationSeconds - 10)).toBeLessThan(0.05);
  });

  it("of Vorbis is its last position", async () => {
    expect((await inspect(makeOggVorbis(625))).durationSeconds).toBeCloseTo(20, 9);
  });

  it.each([
    ["with a fixed block size", {}],
    ["with block sizes that vary", { isVariable: true }],
    ["of a length unknown to the encoder", { announcedSamples: 0 }],
  ])("of FLAC is read from its last frame, %s", async (_, options) => {
    expect((await inspect(makeFlac(flacRate * 20 + 5, options))).durationSeconds).toBe(20 + 5 / flacRate);
  });

  it("of FLAC is the same behind an ID3 tag", async () => {
    const tagged = Buffer.concat([id3Tag(1_000), makeFlac(flacRate)]);
    await expect(inspect(tagged)).resolves.toMatchObject({ container: "flac", durationSeconds: 1 });
  });

  it.each([
    ["finished", {}],
    ["as browsers record it", { isLive: true }],
    ["starting late", { startMs: 7_000 }],
    ["with a duration for each packet", { withDurations: true }],
  ])("of WebM is read from its last packet, %s", async (_, options) => {
    expect((await inspect(makeWebm(1_010, options))).durationSeconds).toBeCloseTo(20.2, 6);
  });

  it("of WebM is found when its last cluster contains no audio", async () => {
    const webm = Buffer.concat([makeWebm(100, { isLive: true }), makeCluster(90_000, 0, { isLive: true })]);
    expect((await inspect(webm)).durationSeconds).toBeCloseTo(2, 6);
  });

  it("of a short clip is measured too: two frames of MP3 and nothing else", async () => {
    await expect(inspect(makeMp3(2))).resolves.toMatchObject({ container: "mp3" });
  });
});

describe("A file that was cut off", () => {
  const seconds = 60;
  it.each([
    ["MP3", makeMp3(Math.round((seconds * mp3Rate) / mp3FrameSamples))],
    ["AAC", makeAdts(Math.round((seconds * adtsRate) / adtsFrameSamples))],
    ["Ogg Opus", makeOggOpus(seconds * 50)],
    ["Ogg Vorbis", makeOggVorbis((seconds * 16_000) / 512)],
    ["FLAC", makeFlac(seconds * flacRate)],
    ["WebM", makeWebm(seconds * 50)],
    ["WebM of a browser", makeWebm(seconds * 50, { isLive: true })],
  ])("is as long as the existing data: %s", async (_, file) => {
    for (const part of [0.2, 0.5, 0.9]) {
      const { durationSeconds } = await inspect(file.subarray(0, Math.round(file.length * part)));
      // At most a page or a cluster is lost; the headers at the start are a part of the file without audio.
      expect(Math.abs(durationSeconds - seconds * part)).toBeLessThan(1.7);
    }
  });

  it.each(["start", "fragmented"] as const)(
    "is as long as the existing data: MP4, index at the %s",
    async (layout) => {
      const file = await makeMp4(1_000, layout, 200);
      const { durationSeconds } = await inspect(file.subarray(0, file.length >> 1));
      expect(durationSeconds).toBeGreaterThan(29);
      expect(durationSeconds).toBeLessThan(33);
    },
  );

  it("cannot be read when the index of an MP4 would have been at its end", async () => {
    const file = await makeMp4(100, "end");
    await expect(inspect(file.subarray(0, file.length - 10))).rejects.toThrow(UnreadableAudioError);
  });

  it("cannot be read when nothing but a tag is left", async () => {
    await expect(inspect(id3Tag(5_000).subarray(0, 2_000))).rejects.toThrow(/nothing after its ID3 tag/);
  });
});

describe("Damage within a file", () => {
  it("costs no more than the frames it hit", async () => {
    for (const [file, frameSeconds] of [
      [makeMp3(2_000), mp3FrameSamples / mp3Rate],
      [makeAdts(2_000), adtsFrameSamples / adtsRate],
    ] as const) {
      const damaged = Buffer.concat([file.subarray(0, 9_000), Buffer.alloc(5_000), file.subarray(10_000)]);
      const whole = await inspect(file);
      const rest = await inspect(damaged);
      expect(whole.durationSeconds - rest.durationSeconds).toBeGreaterThan(0);
      expect(whole.durationSeconds - rest.durationSeconds).toBeLessThan((1_000 / 64 + 4) * frameSeconds);
    }
  });
});

describe("Reading a large file", () => {
  const thirtyMegabytes = 30e6;
  const silence = makeAdts(1_000);

  it("takes it a megabyte at a time, each byte about once", async () => {
    const source = countingSource(
      repeatingSource(silence, silence, Math.floor(thirtyMegabytes / silence.length)),
    );
    const { durationSeconds } = await inspectAudio(source);
    expect(durationSeconds).toBeCloseTo(((source.size / 64) * adtsFrameSamples) / adtsRate, 3);
    expect(maxRead(source)).toBeLessThanOrEqual(1 << 20);
    expect(source.reads.length).toBeLessThan(35);
  });

  it("yields to other work before each piece", async () => {
    const megabytes = repeatingSource(silence, silence, Math.floor(10e6 / silence.length));
    let turns = 0;
    let beat = setImmediate(function next() {
      turns += 1;
      beat = setImmediate(next);
    });
    const turnsAtReads: number[] = [];
    const source = {
      size: megabytes.size,
      read: (start: number, end: number) => {
        turnsAtReads.push(turns);
        return megabytes.read(start, end);
      },
    };
    await inspectAudio(source);
    clearImmediate(beat);
    expect(turnsAtReads.length).toBeGreaterThan(9);
    expect(new Set(turnsAtReads).size).toBe(turnsAtReads.length);
  });

  it("reads a small file in one piece", async () => {
    const source = countingSource(bufferSource(fixture("tone.webm")));
    await inspectAudio(source);
    expect(source.reads).toHaveLength(1);
  });
});

describe("What goes wrong outside", () => {
  it("is passed on as it is: an error of the source", async () => {
    const trouble = new Error("The network is down.");
    const failing = (bytes: Buffer) => ({ size: bytes.length, read: () => Promise.reject(trouble) });
    await expect(inspectAudio(failing(makeMp3(10)))).rejects.toBe(trouble);
  });

  it("is passed on as it is: the reason of a signal", async () => {
    const reason = new Error("The caller has gone.");
    await expect(inspectAudio(bufferSource(makeMp3(10)), { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });

  it("fails when the source has less than its size says", async () => {
    const bytes = makeMp3(10);
    const short = { size: bytes.length, read: async () => bytes.subarray(0, 50) };
    await expect(inspectAudio(short)).rejects.toThrow(/ended before its declared size/);
  });
});
