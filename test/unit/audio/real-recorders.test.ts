import { describe, expect, it } from "vitest";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { block, trackOf, webmOf } from "../../fixtures/audio/false-lengths.ts";
import { box, makeIndexedMp4, makeMp4, sampleEntry, uint32 } from "../../fixtures/audio/make-mp4.ts";
import { id3Tag, makeMp3, mp3FrameSamples, mp3Rate } from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggPage, makeOggVorbis, oggChecksum } from "../../fixtures/audio/make-ogg.ts";
import { collect, fixture } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer) => inspectAudio(bufferSource(bytes));

/** The same Ogg file with another serial number on its pages. */
const withSerial = (file: Buffer, serial: number): Buffer => {
  const copy = Buffer.from(file);
  for (let start = 0; start < copy.length; ) {
    const segments = copy.readUInt8(start + 26);
    const head = 27 + segments;
    const end =
      start + head + copy.subarray(start + 27, start + head).reduce((sum, length) => sum + length, 0);
    copy.writeUInt32LE(serial, start + 14);
    copy.writeUInt32LE(0, start + 22);
    copy.writeUInt32LE(oggChecksum(copy.subarray(start, end)), start + 22);
    start = end;
  }
  return copy;
};

const preSkip = 312 / 48_000;

describe("A capture of a radio stream, in which one recording follows another", () => {
  const songs = (lengths: readonly number[]): Buffer =>
    Buffer.concat(lengths.map((seconds, index) => withSerial(makeOggOpus(seconds * 50), index + 1)));
  const limits = { maxSeconds: 57, overlapSeconds: 1 };

  it.each([
    ["Opus", makeOggOpus(500), 2 * (10 - preSkip)],
    ["Vorbis", makeOggVorbis(300), 2 * 9.6],
    ["FLAC", fixture("tone-flac.ogg"), 3],
  ])("is as long as all of them: %s", async (_, file, seconds) => {
    const facts = await inspect(Buffer.concat([withSerial(file, 1), withSerial(file, 2)]));
    expect(facts.durationSeconds).toBeCloseTo(seconds, 3);
    expect(facts.hasWrongTimes).toBeUndefined();
  });

  it("is shortened in the one that reaches the time", async () => {
    const source = bufferSource(songs([18, 24, 30]));
    const facts = await inspectAudio(source);
    for (const seconds of [10, 30, 60]) {
      const cut = await inspect(await collect(trimAudio(source, facts, seconds)));
      expect(Math.abs(cut.durationSeconds - seconds)).toBeLessThan(0.03);
    }
  });

  it("is cut into pieces that continue in the next one", async () => {
    const source = bufferSource(songs([24, 24, 30, 120]));
    const facts = await inspectAudio(source);
    expect(facts.durationSeconds).toBeCloseTo(198 - 4 * preSkip, 3);
    const pieces = await planPieces(source, facts, limits);
    expect(pieces).toHaveLength(4);
    for (const piece of pieces) {
      const after = await inspect(await collect(cutPiece(source, piece)));
      expect(after.container).toBe("ogg");
      expect(Math.abs(after.durationSeconds - (piece.end - piece.start))).toBeLessThan(0.05);
    }
    expect(pieces.at(-1)?.end).toBeCloseTo(facts.durationSeconds, 3);
  });

  it("may change its encoding, and starts pieces with the right one", async () => {
    const source = bufferSource(
      Buffer.concat([withSerial(makeOggOpus(1_800), 1), withSerial(makeOggVorbis(4_000), 2)]),
    );
    const pieces = await planPieces(source, await inspectAudio(source), limits);
    const codecs = [];
    for (const piece of pieces) codecs.push((await inspect(await collect(cutPiece(source, piece)))).codec);
    expect(codecs).toEqual(["opus", "vorbis", "vorbis"].slice(0, pieces.length));
  });

  it("that has more recordings than any day has songs is refused", async () => {
    const short = makeOggOpus(1);
    const many = Buffer.concat(Array.from({ length: 1_001 }, (_, serial) => withSerial(short, serial)));
    await expect(inspect(many)).rejects.toThrow(/too many recordings/);
  });
});

describe("FLAC in Ogg", () => {
  it("is cut between pages, and each piece says nothing of the samples of the whole", async () => {
    const source = bufferSource(fixture("tone-flac.ogg"));
    const facts = await inspectAudio(source);
    const pieces = await planPieces(source, facts, { maxSeconds: 1.2, overlapSeconds: 0 });
    for (const piece of pieces) {
      const file = await collect(cutPiece(source, piece));
      expect((await inspect(file)).durationSeconds).toBeCloseTo(piece.end - piece.start, 3);
      const information = file.subarray(file.indexOf("fLaC") + 8);
      expect(information.readUIntBE(13, 5) % 2 ** 36).toBe(0);
    }
    expect(pieces.at(-1)?.end).toBeCloseTo(1.5, 3);
  });
});

const tables = { durations: [[100, 64]], samplesPerChunk: [[1, 100]], chunks: [0], sizes: 40 } as const;

describe("QuickTime from before files said their type", () => {
  it.each(["wide", "free", "skip"])("is read when it starts with a box of the type %s", async (type) => {
    const file = await makeMp4(100);
    file.write(type, 4, "latin1");
    const facts = await inspect(file);
    expect(facts).toMatchObject({ container: "mp4", codec: "aac", durationSeconds: expect.closeTo(6.4, 2) });
    const cut = await collect(trimAudio(bufferSource(file), facts, 3));
    expect((await inspect(cut)).durationSeconds).toBeCloseTo(3, 1);
  });

  it("is read when it starts with its index", async () => {
    const file = makeIndexedMp4({ ...tables, description: sampleEntry("ulaw"), data: Buffer.alloc(4_000) });
    const typeBytes = file.readUInt32BE(0);
    const offsets = file.indexOf("stco") + 12;
    file.writeUInt32BE(file.readUInt32BE(offsets) - typeBytes, offsets);
    await expect(inspect(file.subarray(typeBytes))).resolves.toMatchObject({
      codec: "mulaw",
      durationSeconds: expect.closeTo(6.4, 6),
    });
  });

  it("is not what a text starts like", async () => {
    await expect(inspect(Buffer.from("The free world. ".repeat(20)))).rejects.toThrow("(text/plain)");
  });
});

describe("A film whose first track is in an unknown encoding", () => {
  const trackIn = (file: Buffer): Buffer => {
    const at = file.indexOf("trak", 0, "latin1") - 4;
    return file.subarray(at, at + file.readUInt32BE(at));
  };

  it("is measured by the track that players play: MP4", async () => {
    const unknown = trackIn(makeIndexedMp4({ ...tables, description: sampleEntry("zzzz") }));
    const known = trackIn(makeIndexedMp4({ ...tables, description: sampleEntry("ulaw") }));
    const moov = box("moov", box("mvhd", uint32(0, 0, 0, 1_000)), unknown, known);
    const file = Buffer.concat([
      box("ftyp", Buffer.from("isom\0\0\0\0isom")),
      moov,
      box("mdat", Buffer.alloc(4_000)),
    ]);
    for (let at = file.indexOf("stco"); at >= 0; at = file.indexOf("stco", at + 4))
      file.writeUInt32BE(file.length - 4_000, at + 12);
    await expect(inspect(file)).resolves.toMatchObject({
      codec: "mulaw",
      durationSeconds: expect.closeTo(6.4, 6),
    });
  });

  it("is measured by the track that players play: Matroska", async () => {
    const file = webmOf({
      tracks: [trackOf(1, "A_TRUEHD"), trackOf(2)],
      blocks: Array.from({ length: 50 }, (_, index) => block(2, index * 20, Buffer.from([0x48, 1, 2, 3]))),
      clusters: 3,
    });
    await expect(inspect(file)).resolves.toMatchObject({
      codec: "opus",
      durationSeconds: expect.closeTo(3, 3),
    });
  });
});

describe("Blocks of Matroska that hold several packets", () => {
  const packet = Buffer.from([0x48, 1, 2, 3]);
  const laced = (count: number): Buffer =>
    Buffer.concat([Buffer.from([count - 1]), ...new Array<Buffer>(count).fill(packet)]);

  it("end with the audio of the last one, which is often shorter", async () => {
    const blocks = [
      block(1, 0, laced(10), 0x84),
      block(1, 200, laced(10), 0x84),
      block(1, 400, laced(2), 0x84),
    ];
    const file = webmOf({ blocks, clusters: 1 });
    expect((await inspect(file)).durationSeconds).toBeCloseTo(0.44, 6);
  });
});

describe("MP3 among other bytes", () => {
  const seconds = (400 * mp3FrameSamples) / mp3Rate;

  it.each([
    ["behind 300 kB of zeros", Buffer.concat([Buffer.alloc(300_000), makeMp3(400)])],
    ["behind a tag and 200 kB of zeros", Buffer.concat([id3Tag(500), Buffer.alloc(200_000), makeMp3(400)])],
    ["before 300 kB of zeros", Buffer.concat([makeMp3(400), Buffer.alloc(300_000)])],
    [
      "between two pictures",
      Buffer.concat([Buffer.alloc(90_000, 3), makeMp3(400), Buffer.alloc(300_000, 3)]),
    ],
  ])("is measured and cut: %s", async (_, file) => {
    const facts = await inspect(file);
    expect(facts).toMatchObject({ container: "mp3", durationSeconds: expect.closeTo(seconds, 6) });
    const cut = await collect(trimAudio(bufferSource(file), facts, 5));
    expect(cut.length).toBe(Math.ceil((5 * mp3Rate) / mp3FrameSamples) * 104);
  });

  it("is refused where less than a second of it is certain", async () => {
    await expect(inspect(Buffer.concat([makeMp3(30), Buffer.alloc(300_000)]))).rejects.toThrow(
      /more than half of the file is not audio/,
    );
  });
});

describe("A page that starts no recording", () => {
  it("of another stream is refused where a recording is in progress", async () => {
    const stray = makeOggPage({ serial: 76, granule: 48_000n, packets: [Buffer.from([0x48, 1, 2])] });
    await expect(inspect(Buffer.concat([makeOggOpus(50), stray]))).rejects.toThrow(/several recordings/);
  });
});
