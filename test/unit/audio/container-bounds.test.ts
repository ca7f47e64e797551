import { describe, expect, it } from "vitest";
import { type AudioFacts, bufferSource, inspectAudio, trimAudio } from "../../../shared/audio/read-audio.ts";
import { flacRate, makeFlac } from "../../fixtures/audio/make-flac.ts";
import { makeMp3 } from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggPage, opusHead } from "../../fixtures/audio/make-ogg.ts";
import { chunk, makeWav } from "../../fixtures/audio/make-wav.ts";
import { ebmlHead, element, makeCluster, makeWebm } from "../../fixtures/audio/make-webm.ts";
import { collect } from "../../fixtures/audio/sources.ts";

const inspect = (bytes: Buffer): Promise<AudioFacts> => inspectAudio(bufferSource(bytes));

describe("The numbers of a WAV file", () => {
  it.each([
    [{ channels: 1 }, { channels: 1 }],
    [{ channels: 32, bits: 8 }, { channels: 32 }],
    [{ sampleRate: 1_000 }, { sampleRate: 1_000 }],
    [{ sampleRate: 768_000 }, { sampleRate: 768_000 }],
    [{ bits: 12 }, { durationSeconds: 1 }],
    [{ bits: 20 }, { durationSeconds: 1 }],
  ])("may be %j", async (options, facts) => {
    await expect(inspect(makeWav(options))).resolves.toMatchObject(facts);
  });

  it.each([{ channels: 33, bits: 8 }, { sampleRate: 999 }, { sampleRate: 768_001 }, { bits: 7 }])(
    "cannot be %j",
    async (options) => {
      await expect(inspect(makeWav(options))).rejects.toThrow(/format chunk is damaged/);
    },
  );

  it("need a format chunk of 14 bytes at least", async () => {
    const withFormat = (bytes: number): Buffer => {
      const wav = makeWav({ formatTag: 0x55, bits: 16 });
      const format = wav.subarray(20, 20 + bytes);
      const content = [Buffer.from("WAVE"), chunk("fmt ", format), chunk("data", Buffer.alloc(32_000))];
      return chunk("RIFF", Buffer.concat(content));
    };
    await expect(inspect(withFormat(14))).rejects.toThrow(/contains no frame/);
    await expect(inspect(withFormat(13))).rejects.toThrow(/format chunk is damaged\.$/);
  });

  // Bytes and samples of a block, at 16 kHz.
  it.each([
    [0x02, "adpcm", 256, 500],
    [0x11, "adpcm", 256, 505],
    [0x31, "gsm", 65, 320],
  ])(
    "name the compression %i: %s, whose samples its blocks count",
    async (formatTag, codec, bytes, samples) => {
      const fact = chunk("fact", Buffer.from([0x80, 0x3e, 0, 0]));
      const wav = makeWav({ formatTag, bits: 4, chunksBefore: [fact], data: Buffer.alloc(100 * bytes) });
      wav.writeUInt16LE(bytes, 32);
      const seconds = (100 * samples) / 16_000;
      await expect(inspect(wav)).resolves.toMatchObject({
        codec,
        durationSeconds: expect.closeTo(seconds, 6),
      });
      const half = wav.subarray(0, wav.length - 50 * bytes);
      await expect(inspect(half)).resolves.toMatchObject({ durationSeconds: expect.closeTo(seconds / 2, 6) });
    },
  );
});

describe("A duration", () => {
  // 200 bit/s, below any codec: these seconds need 25 bytes each.
  const ending = (granule: bigint): Buffer =>
    Buffer.concat([
      makeOggPage({ isFirst: true, packets: [opusHead(0)] }),
      makeOggPage({ granule: 1n, packets: [Buffer.alloc(20)] }),
      makeOggPage({ granule, packets: [Buffer.alloc(20)] }),
    ]);

  it("is believed as long as the bytes can hold it", async () => {
    const size = ending(48_000n).length;
    const max = BigInt((size * 48_000) / 25);
    expect((await inspect(ending(max))).durationSeconds).toBeCloseTo(size / 25, 4);
    await expect(inspect(ending(max + 48n))).rejects.toThrow(/impossible duration/);
  });
});

describe("An Ogg file", () => {
  const head = (channels: number): Buffer =>
    Buffer.concat([
      makeOggPage({ isFirst: true, packets: [opusHead(0, channels)] }),
      makeOggPage({ granule: 960n, packets: [Buffer.alloc(20)] }),
    ]);

  it("has as many channels as its head says, and one at least", async () => {
    for (const channels of [1, 2, 255])
      await expect(inspect(head(channels))).resolves.toMatchObject({ channels });
    await expect(inspect(head(0))).rejects.toThrow(/header is implausible/);
  });

  it("is read past damage between its pages, also where a window ends", async () => {
    const audio = makeOggOpus(5_000, { packetBytes: 250 });
    expect(audio.length).toBeGreaterThan(1 << 20);
    const third = audio.indexOf("OggS", audio.length / 3);
    const damaged = Buffer.concat([audio.subarray(0, third), Buffer.alloc(777, 1), audio.subarray(third)]);
    const { durationSeconds } = await inspect(damaged);
    expect(durationSeconds).toBeCloseTo(100 - 312 / 48_000, 6);
    const source = bufferSource(damaged);
    const cut = await collect(trimAudio(source, await inspectAudio(source), 90));
    expect((await inspect(cut)).durationSeconds).toBeCloseTo(90, 6);
    const whole = bufferSource(audio);
    const same = await collect(trimAudio(whole, await inspectAudio(whole), 90));
    expect(cut.equals(same)).toBe(true);
  });

  it("with a last page that was damaged counts its packets, which some players play", async () => {
    const audio = makeOggOpus(500);
    audio.writeUInt8(audio.readUInt8(audio.length - 1) ^ 1, audio.length - 1);
    expect((await inspect(audio)).durationSeconds).toBeCloseTo(10 - 312 / 48_000, 6);
  });

  it("with damaged pages only is refused", async () => {
    const audio = makeOggOpus(500);
    for (let at = audio.indexOf("OggS"); at >= 0; at = audio.indexOf("OggS", at + 4))
      audio.fill(0, at + 22, at + 26);
    await expect(inspect(audio)).rejects.toThrow(/no intact page/);
  });
});

describe("A FLAC file larger than a window", () => {
  it("is cut at the same frame wherever a window ends", async () => {
    const seconds = 25_000;
    const file = makeFlac(seconds * flacRate);
    expect(file.length).toBeGreaterThan(1 << 20);
    const source = bufferSource(file);
    const cut = await collect(trimAudio(source, await inspectAudio(source), 24_000));
    const frames = Math.ceil((24_000 * flacRate) / 4_096);
    expect((await inspect(cut)).durationSeconds).toBe((frames * 4_096) / flacRate);
    const start = 42;
    expect(cut.subarray(start).equals(file.subarray(start, start + cut.length - start))).toBe(true);
  });
});

describe("A WebM file", () => {
  const track = (fields: readonly Buffer[], audio: readonly Buffer[] = []): Buffer => {
    const entry = element(0xae, Buffer.concat([...fields, element(0xe1, Buffer.concat(audio))]));
    const info = element(0x1549a966, element(0x2ad7b1, Buffer.from([0x0f, 0x42, 0x40])));
    const content = Buffer.concat([info, element(0x1654ae6b, entry), makeCluster(0, 50)]);
    return Buffer.concat([ebmlHead, element(0x18538067, content)]);
  };
  const audio = element(0x83, Buffer.from([2]));
  const codec = (name: string): Buffer => element(0x86, Buffer.from(name));

  it.each([
    ["A_OPUS", "opus", 1],
    ["A_VORBIS", "vorbis", 1],
    // Fifty frames of 1,024 samples, with any times.
    ["A_AAC", "aac", 6.4],
    ["A_AAC/MPEG4/LC", "aac", 6.4],
    ["A_MPEG/L3", "mp3", 1],
    ["A_FLAC", "flac", 1],
    // The last block plays as long as its twenty bytes.
    ["A_PCM/INT/LIT", "pcm", 0.98 + 10 / 8_000],
    ["A_PCM/FLOAT/IEEE", "float", 0.98 + 5 / 8_000],
  ])("in %s is %s; what it leaves out has Matroska's defaults", async (name, expected, seconds) => {
    await expect(inspect(track([audio, codec(name)]))).resolves.toMatchObject({
      codec: expected,
      sampleRate: 8_000,
      channels: 1,
      durationSeconds: expect.closeTo(seconds, 6),
    });
  });

  it("may write its sample rate in four bytes or eight, and leaves out the codec's delay", async () => {
    const rate = Buffer.alloc(4);
    rate.writeFloatBE(44_100);
    const delay = element(0x56aa, Buffer.from([0x05, 0xf5, 0xe1, 0x00]));
    const file = track(
      [audio, codec("A_OPUS"), delay],
      [element(0xb5, rate), element(0x9f, Buffer.from([2]))],
    );
    const facts = await inspect(file);
    expect(facts).toMatchObject({ sampleRate: 44_100, channels: 2 });
    expect(facts.durationSeconds).toBeCloseTo(0.9, 9);
  });

  it.each([
    ["in an unknown encoding", track([audio, codec("A_TRUEHD")])],
    ["without an encoding", track([audio])],
    ["encrypted", track([audio, codec("A_OPUS"), element(0x6d80, Buffer.alloc(4))])],
  ])("%s is refused", async (_, file) => {
    await expect(inspect(file)).rejects.toThrow(/encrypted or in an unknown encoding/);
  });

  it("with only packets of another track contains no audio", async () => {
    await expect(inspect(track([element(0xd7, Buffer.from([2])), audio, codec("A_OPUS")]))).rejects.toThrow(
      /contains no audio/,
    );
  });

  it("ends with the duration of its only packet, as its group or its track says", async () => {
    const webm = makeWebm(1, { withDurations: true });
    expect((await inspect(webm)).durationSeconds).toBeCloseTo(0.02, 9);
  });
});

describe("A file that is no audio", () => {
  it.each([
    ["II*\0", 0, "image/tiff", "a TIFF image"],
    ["MM\0*", 0, "image/tiff", "a TIFF image"],
    ["ftypheix", 4, "image/heic", "a HEIC image"],
    ["ftypmif1", 4, "image/heif", "a HEIF image"],
    ["ftypmsf1", 4, "image/heif", "a HEIF image"],
    ["ftypavif", 4, "image/avif", "an AVIF image"],
    ["PK\x05\x06", 0, "application/zip", "an empty ZIP archive"],
    ["7z\xbc\xaf\x27\x1c", 0, "application/x-7z-compressed", "a 7-Zip archive"],
    ["Rar!\x1a\x07", 0, "application/vnd.rar", "a RAR archive"],
    ["\xfd7zXZ\0", 0, "application/x-xz", "an XZ archive"],
    ["BZh", 0, "application/x-bzip2", "a bzip2 archive"],
    ["(\xb5/\xfd", 0, "application/zstd", "a Zstandard archive"],
    ["MZ", 0, "application/vnd.microsoft.portable-executable", "a Windows program"],
    ["SQLite format 3\0", 0, "application/vnd.sqlite3", "a SQLite database"],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "application/x-cfb", "an old office document"],
    ["\0asm", 0, "application/wasm", "a WebAssembly program"],
    ["wOFF", 0, "font/woff", "a font"],
    ["wOF2", 0, "font/woff2", "a font"],
    ["FLV\x01", 0, "video/x-flv", "a Flash video"],
    ["\0\0\x01\xba", 0, "video/mpeg", "an MPEG video"],
    ["\0\0\x01\xb3", 0, "video/mpeg", "an MPEG video"],
    ["#EXTM3U", 0, "application/mpegurl", "a playlist"],
    ["MThd", 0, "application/x-midi", "a MIDI file"],
  ])("is called what its first bytes say: %j at %i", async (magic, offset, mediaType, name) => {
    const file = Buffer.alloc(64);
    file.write(magic, offset, "latin1");
    await expect(inspect(file)).rejects.toThrow(
      `The file is ${name} (${mediaType}), not a supported audio file`,
    );
  });

  it.each([
    ["<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"],
    ["\ufeff<html>", "text/html"],
    ["<body>", "text/html"],
    ["<head>", "text/html"],
    ["[1, 2]", "application/json"],
    ["\u001b[1mbold", "text/plain"],
  ])("is called what its text begins with: %j", async (content, mediaType) => {
    await expect(inspect(Buffer.from(content))).rejects.toThrow(`(${mediaType})`);
  });

  it("may hold the beginning of a character at its end, but no control characters", async () => {
    const text = Buffer.from("Webale nnyo ŋ".repeat(1_000)).subarray(0, 4_096);
    await expect(inspect(text)).rejects.toThrow("(text/plain)");
    await expect(inspect(Buffer.from("Webale\u0001"))).rejects.toThrow(
      /^The file is not a supported audio file/,
    );
  });
});

describe("The search for frames behind other bytes", () => {
  const behind = (bytes: number, frames: number): Promise<AudioFacts> =>
    inspect(Buffer.concat([Buffer.alloc(bytes, 0x80), makeMp3(frames)]));

  it("continues for half a megabyte, and needs 32 frames in a row behind the first 8,192 bytes", async () => {
    await expect(behind(8_191, 20)).resolves.toMatchObject({ container: "mp3" });
    await expect(behind(8_192, 31)).rejects.toThrow(/^The file is not a supported audio file/);
    await expect(behind(8_192, 32)).resolves.toMatchObject({ container: "mp3" });
    await expect(behind((1 << 19) - 1, 32)).resolves.toMatchObject({ container: "mp3" });
    // The frame after it is the first one that is not read, and with it the stream.
    await expect(behind(1 << 19, 100)).rejects.toThrow(/^The file is not a supported audio file/);
    await expect(behind(100, 8)).resolves.toMatchObject({ container: "mp3" });
    await expect(behind(100, 7)).rejects.toThrow(/^The file is not a supported audio file/);
  });

  it("needs four frames at the very beginning, or a file of nothing else", async () => {
    const junk = Buffer.alloc(300, 0x80);
    await expect(inspect(Buffer.concat([makeMp3(4), junk]))).resolves.toMatchObject({ container: "mp3" });
    await expect(inspect(Buffer.concat([makeMp3(3), junk]))).rejects.toThrow(
      /^The file is not a supported audio file/,
    );
    await expect(inspect(makeMp3(1))).resolves.toMatchObject({ container: "mp3" });
  });
});
