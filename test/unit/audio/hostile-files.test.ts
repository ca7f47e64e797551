import { describe, expect, it } from "vitest";
import { NotAudioError, UnreadableAudioError } from "../../../shared/audio/audio-errors.ts";
import {
  type AudioFacts,
  type AudioSource,
  bufferSource,
  inspectAudio,
  trimAudio,
} from "../../../shared/audio/read-audio.ts";
import { flacMetadata, flacRate, makeFlac } from "../../fixtures/audio/make-flac.ts";
import { box, makeMp4, withBoxContent } from "../../fixtures/audio/make-mp4.ts";
import {
  id3Tag,
  makeAdts,
  makeAdtsFrame,
  makeLameFrame,
  makeMp3,
  repeat,
} from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggPage, opusHead } from "../../fixtures/audio/make-ogg.ts";
import { chunk, makeWav } from "../../fixtures/audio/make-wav.ts";
import { ebmlHead, element, makeCluster, makeWebm } from "../../fixtures/audio/make-webm.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { collect, countingSource, largestRead, repeatingSource } from "../../fixtures/audio/sources.ts";

/** Generous for a machine that is busy with other things; alone, none of the readers needs a fifth of it. */
const patienceMs = 8_000;

/** What the reader says, in time: facts or one of its two errors, and nothing else. */
const settle = async (
  file: AudioSource | Buffer,
): Promise<AudioFacts | NotAudioError | UnreadableAudioError> => {
  const counting = countingSource("read" in file ? file : bufferSource(file));
  const started = performance.now();
  const result = await inspectAudio(counting).catch((error: unknown) => {
    if (error instanceof NotAudioError || error instanceof UnreadableAudioError) return error;
    throw error;
  });
  expect(performance.now() - started).toBeLessThan(patienceMs);
  expect(largestRead(counting)).toBeLessThanOrEqual(1 << 20);
  return result;
};

const refused = (result: unknown) => expect(result).toBeInstanceOf(UnreadableAudioError);

describe("MP3 and AAC", { timeout: 30_000 }, () => {
  it("with frames of no length do not stop the reader", async () => {
    const frame = makeAdtsFrame(0);
    expect(await settle(repeat(frame, 1_000))).toBeInstanceOf(NotAudioError);
    refused(await settle(Buffer.concat([makeAdts(4), repeat(frame, 30_000)])));
  });

  it("with the smallest frames there are, millions of them, take little time and no memory", async () => {
    const mp3Frame = Buffer.alloc(24);
    mp3Frame.set([0xff, 0xf3, 0x14, 0xc4]);
    const result = await settle(repeatingSource(mp3Frame, mp3Frame, 2_000_000));
    expect(result).toMatchObject({ container: "mp3", durationSeconds: (2_000_001 * 576) / 24_000 });

    const adtsFrame = makeAdtsFrame(8);
    expect(await settle(repeatingSource(adtsFrame, adtsFrame, 4_000_000))).toMatchObject({
      container: "adts",
    });
  });

  it("with frames that a byte more makes false are searched through in one go", async () => {
    const almost = Buffer.concat([makeMp3(1), Buffer.from([0xff])]);
    refused(await settle(repeatingSource(makeMp3(8), almost.subarray(3), 100_000)));
    refused(
      await settle(repeatingSource(makeMp3(8), Buffer.from([0xff, 0xfb, 0x10, 0xc4, 0xff]), 4_000_000)),
    );
  });

  it("with a header that lies are measured all the same", async () => {
    const file = Buffer.concat([makeLameFrame(0xffffffff, 4_095, 4_095), makeMp3(100)]);
    expect(await settle(file)).toMatchObject({ durationSeconds: (100 * 1_152 - 4_095) / 44_100 });
  });

  it("behind tags that claim more than there is are refused", async () => {
    const huge = id3Tag(1);
    huge.fill(0x7f, 6, 10);
    refused(await settle(Buffer.concat([huge, makeMp3(100)])));
    refused(await settle(repeat(id3Tag(10), 5_000)));
  });
});

describe("Ogg", { timeout: 30_000 }, () => {
  it("with 20,000 streams is refused", async () => {
    const streams = Array.from({ length: 20_000 }, (_, serial) =>
      makeOggPage({ serial, isFirst: true, packets: [Buffer.from("fishead")] }),
    );
    refused(await settle(Buffer.concat(streams)));
  });

  it("with a million empty pages is read through", async () => {
    const empty = makeOggPage({ granule: -1n, packets: [] });
    refused(
      await settle(repeatingSource(makeOggPage({ isFirst: true, packets: [opusHead()] }), empty, 1_000_000)),
    );
    const sound = makeOggOpus(50);
    const file = repeatingSource(sound, empty, 30_000);
    expect(await settle(file)).toMatchObject({ codec: "opus" });
  });

  it("with a tail of pages whose checksums are wrong is not computed for minutes", async () => {
    const page = Buffer.alloc(27 + 255);
    page.write("OggS", 0, "latin1");
    page.writeUInt32LE(77, 14);
    page[26] = 255;
    page.fill(255, 27);
    refused(await settle(repeatingSource(makeOggOpus(50), page, 10_000)));
  });

  it.each([2n ** 40n, 2n ** 62n, -5n])(
    "that claims to end at %s is refused, or not believed",
    async (granule) => {
      const lie = makeOggPage({ granule, packets: [Buffer.alloc(20)] });
      const result = await settle(Buffer.concat([makeOggOpus(50), lie]));
      if (!(result instanceof Error)) expect(result.durationSeconds).toBeLessThan(1);
    },
  );
});

describe("FLAC", { timeout: 30_000 }, () => {
  it("is answered wherever it was cut off", async () => {
    const file = makeFlac(5 * flacRate, { metadata: [flacMetadata(4, Buffer.alloc(300))] });
    for (let length = 5; length < file.length; length += 1) await settle(file.subarray(0, length));
  });

  it("with a million bytes that could each start a frame is searched in one go", async () => {
    const file = makeFlac(20 * flacRate);
    await settle(Buffer.concat([file, Buffer.alloc(1_000_000, 0xff)]));
    const header = file.subarray(42, 51);
    await settle(Buffer.concat([file, repeat(Buffer.from(header), 100_000)]));
  });

  it("with endless metadata is refused", async () => {
    const block = flacMetadata(1, Buffer.alloc(0));
    refused(await settle(repeatingSource(makeFlac(flacRate).subarray(0, 4), block, 5_000_000)));
  });
});

describe("WebM", { timeout: 30_000 }, () => {
  it("of a browser with junk behind it is as long as what can be played", async () => {
    const random = new Random(4);
    for (let count = 0; count < 20; count += 1) {
      const junk = random.bytes(1 + random.below(5_000));
      const result = await settle(Buffer.concat([makeWebm(500, { isLive: true }), junk]));
      expect(result).toMatchObject({ durationSeconds: expect.closeTo(10, 1) });
    }
  });

  it("with a damaged tail is as long as what can be played", async () => {
    const file = makeWebm(500, { isLive: true });
    new Random(5).bytes(300).copy(file, file.length - 300);
    expect(await settle(file)).toMatchObject({ durationSeconds: expect.closeTo(9.8, 0) });
  });

  it("of empty elements, or of clusters without end, is read through", async () => {
    refused(await settle(repeatingSource(ebmlHead, Buffer.from([0xec, 0x80]), 10_000_000)));
    const cluster = makeCluster(0, 0, { isLive: true });
    await settle(repeatingSource(makeWebm(50, { isLive: true }), cluster, 300_000));
    await settle(
      repeatingSource(makeWebm(50, { isLive: true }), Buffer.from("\x1f\x43\xb6\x75", "latin1"), 2_000_000),
    );
  });

  it.each([
    ["a clock of no time", element(0x2ad7b1, Buffer.alloc(1))],
    ["a clock of centuries", element(0x2ad7b1, Buffer.alloc(8, 0xff))],
  ])("with %s is refused", async (_, scale) => {
    const file = makeWebm(50, { isLive: true });
    const info = file.indexOf(Buffer.from("1549a966", "hex"));
    const tracks = file.indexOf(Buffer.from("1654ae6b", "hex"));
    refused(
      await settle(
        Buffer.concat([file.subarray(0, info), element(0x1549a966, scale), file.subarray(tracks)]),
      ),
    );
  });

  it("whose clusters claim times beyond all numbers is refused or measured, and can be cut", async () => {
    const file = makeWebm(50, { isLive: true });
    for (const time of [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n, 2n ** 40n]) {
      const content = Buffer.alloc(8);
      content.writeBigUInt64BE(time);
      const late = element(
        0x1f43b675,
        Buffer.concat([element(0xe7, content), makeCluster(0, 9).subarray(29)]),
        true,
      );
      const source = bufferSource(Buffer.concat([file, late]));
      const facts = await settle(Buffer.concat([file, late]));
      if (!(facts instanceof Error)) await collect(trimAudio(source, facts, 0.1));
    }
  });
});

describe("WAV", { timeout: 30_000 }, () => {
  it("with two million chunks is refused", async () => {
    refused(
      await settle(repeatingSource(makeWav().subarray(0, 36), chunk("junk", Buffer.alloc(0)), 2_000_000)),
    );
  });

  it("with chunks far apart, or larger than the file, is refused", async () => {
    const head = makeWav().subarray(0, 36);
    refused(await settle(repeatingSource(head, chunk("junk", Buffer.alloc(100_000)), 900)));
    refused(
      await settle(
        Buffer.concat([head, chunk("LIST", Buffer.alloc(10), 0xfffffff0), chunk("data", Buffer.alloc(100))]),
      ),
    );
  });

  it("with a title of three megabytes is read", async () => {
    const title = chunk("LIST", Buffer.alloc(3 << 20));
    expect(await settle(makeWav({ chunksBefore: [title] }))).toMatchObject({ durationSeconds: 1 });
  });
});

describe("MP4", { timeout: 60_000 }, () => {
  const uint32 = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
    return bytes;
  };
  const type = box("ftyp", Buffer.from("isom\0\0\0\0isom"));
  const free = Buffer.concat([uint32(8), Buffer.from("free")]);
  const large = Number.MAX_SAFE_INTEGER;

  it.each([
    [
      "one size for thousands of millions of samples",
      "stsz",
      (content: Buffer) => uint32(0, 1, 0xffffffff).copy(content),
    ],
    ["samples larger than the file", "stsz", (content: Buffer) => content.fill(0xff, 12)],
    ["a table longer than the file", "stsz", (content: Buffer) => uint32(0, 0, 0xffffffff).copy(content)],
    [
      "a table of times longer than the file",
      "stts",
      (content: Buffer) => uint32(0, 0xffffffff).copy(content),
    ],
    [
      "samples that play for months",
      "stts",
      (content: Buffer) => uint32(0xffffffff, 0xffffffff).copy(content, 8),
    ],
    ["chunks of thousands of millions", "stsc", (content: Buffer) => uint32(1, 0xffffffff).copy(content, 8)],
    ["chunks behind the end", "stco", (content: Buffer) => content.fill(0xff, 8)],
    ["a clock that stands still", "mdhd", (content: Buffer) => uint32(0).copy(content, 12)],
  ])("with %s is refused, or as long as what is there", async (_, box, change) => {
    const result = await settle(withBoxContent(await makeMp4(100), box, change));
    if (!(result instanceof Error)) expect(result.durationSeconds).toBeLessThan(6.5);
  });

  it("whose fragment claims four thousand million packets is no longer than its bytes allow", async () => {
    const file = await makeMp4(100, "fragmented");
    const lie = withBoxContent(file, "trun", (content) => uint32(0xffffffff).copy(content, 4));
    const result = await settle(lie);
    if (!(result instanceof Error)) expect(result.durationSeconds).toBeLessThan(10);
  });

  it("of boxes within boxes, millions of boxes, or an index of a hundred megabytes is refused", async () => {
    const depth = 300_000;
    const nested = Array.from({ length: depth }, (_, level) =>
      Buffer.concat([uint32(8 * (depth - level)), Buffer.from("trak")]),
    );
    const nest = Buffer.concat([type, ...nested]);
    nest.write("moov", type.length + 4, "latin1");
    expect(await settle(nest)).toBeInstanceOf(Error);
    refused(await settle(repeatingSource(type, free, 12_000_000)));
    const index = Buffer.concat([type, uint32(96_000_008), Buffer.from("moov")]);
    refused(await settle(repeatingSource(index, free, 12_000_000)));
    const fragment = Buffer.concat([uint32(8), Buffer.from("moof")]);
    await settle(repeatingSource(await makeMp4(10, "fragmented"), fragment, 5_000_000));
  });

  it("with an index of millions of samples of no size is measured piece by piece, and cut or refused", async () => {
    const count = 4_000_000;
    const entry = Buffer.concat([Buffer.alloc(28), Buffer.from([0, 1, 0, 16, 0, 0, 0, 0, 0x3e, 0x80, 0, 0])]);
    const description = box("stsd", uint32(0, 1), box("alac", entry.subarray(12)));
    const table = box(
      "stbl",
      description,
      box("stts", uint32(0, 1, count, 1)),
      box("stsc", uint32(0, 1, 1, count, 1)),
      box("stco", uint32(0, 1, 0)),
      box("stsz", uint32(0, 0, count), Buffer.alloc(count * 4)),
    );
    const media = box(
      "mdia",
      box("mdhd", uint32(0, 0, 0, 1_000, 0, 0)),
      box("hdlr", Buffer.from("\0\0\0\0\0\0\0\0soun")),
      box("minf", table),
    );
    const file = Buffer.concat([type, box("moov", box("trak", media))]);
    const facts = await settle(file);
    expect(facts).toMatchObject({ codec: "alac", durationSeconds: 4_000 });
    if (facts instanceof Error) return;
    const cut = collect(trimAudio(bufferSource(file), facts, 3_000)).catch((error: unknown) => error);
    expect(await cut).toBeInstanceOf(Buffer);
  });

  it("with numbers beyond all counting never makes the reader fail", async () => {
    const file = await makeMp4(50);
    const random = new Random(6);
    const index = file.indexOf("moov");
    for (let count = 0; count < 300; count += 1) {
      const lie = Buffer.from(file);
      lie.writeUInt32BE(
        random.pick([0xffffffff, 0x7fffffff, 0, 1, large % 2 ** 32]),
        index + random.below(600),
      );
      const facts = await settle(lie);
      if (!(facts instanceof Error))
        await collect(trimAudio(bufferSource(lie), facts, 0.5)).catch(() => undefined);
    }
  });
});
