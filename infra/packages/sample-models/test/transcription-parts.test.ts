import { describe, expect, it } from "vitest";
import { wavHeader } from "../src/speech/wav-header.ts";
import { findSpeech } from "../src/transcription/find-speech.ts";
import { estimateDuration, readRecording } from "../src/transcription/read-recording.ts";
import { noRecogniser, spreadSentences, transcribe } from "../src/transcription/transcript.ts";

/** A file that comes in pieces of this many bytes. */
async function* inPieces(file: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < file.length; position += length) {
    yield file.subarray(position, position + length);
  }
}

const chunk = (id: string, content: Buffer, size = content.length): Buffer => {
  const header = Buffer.alloc(8, id, "latin1");
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
};

type Format = { encoding?: number; channels?: number; rate?: number; bits?: number };

const format = ({ encoding = 1, channels = 1, rate = 8_000, bits = 16 }: Format = {}): Buffer => {
  const content = Buffer.alloc(16);
  content.writeUInt16LE(encoding, 0);
  content.writeUInt16LE(channels, 2);
  content.writeUInt32LE(rate, 4);
  content.writeUInt32LE((rate * channels * bits) / 8, 8);
  content.writeUInt16LE((channels * bits) / 8, 12);
  content.writeUInt16LE(bits, 14);
  return chunk("fmt ", content);
};

const wav = (...chunks: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE", "latin1"), ...chunks]);

/** 16-bit samples at 8,000 a second: loud in the given spans, silent elsewhere. */
const audio = (seconds: number, spans: readonly (readonly [number, number])[]): Buffer => {
  const samples = Buffer.alloc(seconds * 16_000);
  for (const [start, end] of spans) {
    for (let index = start * 8_000; index < end * 8_000; index += 1) {
      samples.writeInt16LE(Math.round(9_000 * Math.sin(index / 3)), index * 2);
    }
  }
  return samples;
};

const read = (file: Buffer, pieceLength = 64 * 1024) => readRecording(inPieces(file, pieceLength));

describe("A WAV file that is read as it comes in", () => {
  const twoBursts = audio(3, [
    [0.5, 1],
    [2, 2.5],
  ]);
  const heard = {
    durationSeconds: 3,
    speech: [
      { start: 0.5, end: 1 },
      { start: 2, end: 2.5 },
    ],
  };

  it.each([1, 2, 3, 7, 1_000, 1_000_000])("is the same in pieces of %d bytes", async (pieceLength) => {
    expect(await read(wav(format(), chunk("data", twoBursts)), pieceLength)).toEqual(heard);
  });

  it.each([
    ["unknown", 0xff_ff_ff_ff],
    ["left at 0", 0],
    ["larger than the file", 1_000_000],
  ])("is read to its end when the size of its audio is %s", async (_title, size) => {
    expect(await read(wav(format(), chunk("data", twoBursts, size)))).toEqual(heard);
  });

  it("may have chunks of odd length and of unknown kind anywhere", async () => {
    const odd = chunk("junk", Buffer.from("abc"));
    expect(await read(wav(odd, format(), odd, chunk("data", twoBursts), odd))).toEqual(heard);
  });

  it("may have two channels", async () => {
    expect(await read(wav(format({ channels: 2, rate: 4_000 }), chunk("data", twoBursts)))).toEqual(heard);
  });

  it("may say that it is PCM in the extensible form", async () => {
    const extension = Buffer.alloc(24);
    extension.writeUInt16LE(1, 8);
    const extensible = format({ encoding: 0xff_fe }).subarray(8);
    const content = Buffer.concat([extensible, extension]);
    expect(await read(wav(chunk("fmt ", content), chunk("data", twoBursts)))).toEqual(heard);
  });

  it.each<[string, Format]>([
    ["24 bits", { bits: 24 }],
    ["floating point numbers", { encoding: 3, bits: 32 }],
    ["an impossible rate", { rate: 1 }],
  ])("counts as speech from beginning to end with %s", async (_title, given) => {
    const { durationSeconds, speech } = await read(wav(format(given), chunk("data", twoBursts)));
    expect(durationSeconds).toBeGreaterThan(0);
    expect(speech).toEqual([{ start: 0, end: durationSeconds }]);
  });

  it.each([
    ["nothing else", wav()],
    ["a header cut short", wav(Buffer.from("fmt "))],
    ["a format cut short", wav(chunk("fmt ", Buffer.alloc(3)), chunk("data", twoBursts))],
    ["no format", wav(chunk("data", twoBursts))],
    ["no channel", wav(format({ channels: 0 }), chunk("data", Buffer.alloc(0)))],
    ["a list cut short", wav(format(), chunk("LIST", Buffer.from("INFOICMT\xff\xff\xff\xff", "latin1")))],
  ])("is no trouble with %s", async (_title, file) => {
    expect((await read(file)).durationSeconds).toBe(0);
  });

  it("returns the text that the sample server has put into it, to the last character", async () => {
    const text = "Ŋŋenda \u0000 ng’ombe 🙂 \u0000";
    expect((await read(Buffer.concat([wavHeader(text), twoBursts]), 5)).spokenText).toBe(text);
  });

  it("returns no text for other writers", async () => {
    const comment = Buffer.concat([Buffer.from("INFO"), chunk("ICMT", Buffer.from("Lecture 4\0"))]);
    expect(await read(wav(format(), chunk("LIST", comment), chunk("data", twoBursts)))).toEqual(heard);
  });
});

describe("Speech in a recording", () => {
  const levels = (...runs: [count: number, level: number][]) =>
    runs.flatMap(([count, level]) => Array<number>(count).fill(level));
  const spansIn = (given: number[]) =>
    findSpeech(given, 0.02).map(({ start, end }) => [Number(start.toFixed(2)), Number(end.toFixed(2))]);

  it("is absent in silence and in the noise of a quiet room", () => {
    expect(spansIn([])).toEqual([]);
    expect(spansIn(levels([100, 0]))).toEqual([]);
    expect(spansIn(levels([100, 120]))).toEqual([]);
  });

  it("is distinct from noise", () => {
    expect(spansIn(levels([50, 400], [50, 3_000], [50, 400]))).toEqual([[1, 2]]);
  });

  it("is a constant tone throughout", () => {
    expect(spansIn(levels([100, 3_000]))).toEqual([[0, 2]]);
  });

  it("is not cut at a breath, but at a pause", () => {
    expect(spansIn(levels([50, 3_000], [10, 0], [50, 3_000]))).toEqual([[0, 2.2]]);
    expect(spansIn(levels([50, 3_000], [20, 0], [50, 3_000]))).toEqual([
      [0, 1],
      [1.4, 2.4],
    ]);
  });

  it("is not a click", () => {
    expect(spansIn(levels([50, 0], [2, 9_000], [50, 0]))).toEqual([]);
  });
});

describe("The length of a file that is not listened to", () => {
  const estimate = (head: Buffer, tail = head, length = head.length) =>
    estimateDuration({ head, tail, length });

  const oggPage = (samples: number, content: Buffer) => {
    const page = Buffer.alloc(28);
    page.write("OggS", 0, "latin1");
    page.writeBigInt64LE(BigInt(samples), 6);
    return Buffer.concat([page, content]);
  };

  it("is the last position of an Ogg file, less what Opus plays before the beginning", () => {
    const opusHead = Buffer.alloc(19);
    opusHead.write("OpusHead", 0, "latin1");
    opusHead.writeUInt16LE(312, 10);
    expect(estimate(oggPage(0, opusHead), oggPage(48_312, Buffer.alloc(100)))).toBe(1);

    const vorbisHead = Buffer.alloc(30);
    vorbisHead.write("\u0001vorbis", 0, "latin1");
    vorbisHead.writeUInt32LE(16_000, 12);
    expect(estimate(oggPage(0, vorbisHead), oggPage(40_000, Buffer.alloc(100)))).toBe(2.5);
  });

  it("is in the first block of a FLAC file", () => {
    const flac = Buffer.alloc(42);
    flac.write("fLaC", 0, "latin1");
    flac.writeBigUInt64BE((44_100n << 44n) | (15n << 36n) | 66_150n, 18);
    expect(estimate(flac)).toBe(1.5);
  });

  it("is in the movie header of an MP4 file, at its beginning or its end, in 32 or in 64 bits", () => {
    const start = Buffer.from("\0\0\0\u0010ftypM4A ", "latin1");
    const short = Buffer.alloc(40);
    short.write("mvhd", 0, "latin1");
    short.writeUInt32BE(1_000, 16);
    short.writeUInt32BE(2_500, 20);
    const long = Buffer.alloc(40);
    long.write("mvhd\u0001", 0, "latin1");
    long.writeUInt32BE(600, 24);
    long.writeBigUInt64BE(900n, 28);
    expect(estimate(Buffer.concat([start, short]))).toBe(2.5);
    expect(estimate(Buffer.concat([start, Buffer.alloc(100)]), long)).toBe(1.5);
  });

  it("is reckoned from the bit rate of an MP3 file, without its tag", () => {
    const frame = Buffer.from([0xff, 0xfb, 0x90, 0x00]);
    expect(estimate(frame, frame, 16_000)).toBe(1);
    const tag = Buffer.concat([
      Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 0]),
      Buffer.alloc(128),
      frame,
    ]);
    expect(estimate(tag, tag, 138 + 16_000)).toBe(1);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n", "latin1")],
    ["an Ogg page cut short", Buffer.from("OggS")],
    ["an Ogg file of another codec", oggPage(100, Buffer.from("Speex"))],
    [
      "a Vorbis file without a rate",
      oggPage(100, Buffer.concat([Buffer.from("\u0001vorbis"), Buffer.alloc(23)])),
    ],
    ["a FLAC file cut short", Buffer.from("fLaC")],
    ["an MP4 file cut short", Buffer.from("\0\0\0\u0010ftypM4A mvhd", "latin1")],
    ["an MP3 tag longer than what is known", Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 9, 9, 9, 9])],
    ["an MP3 frame without a bit rate", Buffer.from([0xff, 0xfb, 0x00, 0x00])],
    ["raw AAC", Buffer.from([0xff, 0xf1, 0x50, 0x80])],
  ])("is 0 when it is unknown: %s", (_title, head) => {
    expect(estimate(head)).toBe(0);
  });
});

describe("Sentences spread over speech", () => {
  it("go from pause to pause where there are pauses", () => {
    const speech = [
      { start: 0.2, end: 1.2 },
      { start: 2, end: 4.6 },
      { start: 5, end: 6 },
    ];
    expect(spreadSentences("Emu ssebo. Bbiri nnyabo mwattu nnyo. Ssatu.", speech)).toEqual([
      { start: 0.2, end: 1.2, text: "Emu ssebo." },
      { start: 2, end: 4.6, text: "Bbiri nnyabo mwattu nnyo." },
      { start: 5, end: 6, text: "Ssatu." },
    ]);
  });

  it("share what is spoken in one go, by their length", () => {
    expect(spreadSentences("aaaa. bbbb. cccccccccc.", [{ start: 1, end: 22 }])).toEqual([
      { start: 1, end: expect.closeTo(6, 5), text: "aaaa." },
      { start: expect.closeTo(6, 5), end: expect.closeTo(11, 5), text: "bbbb." },
      { start: expect.closeTo(11, 5), end: 22, text: "cccccccccc." },
    ]);
  });

  it("last over pauses where there are more of them than sentences", () => {
    const speech = [
      { start: 0, end: 3 },
      { start: 4, end: 7 },
    ];
    expect(spreadSentences("Emu", speech)).toEqual([{ start: 0, end: 7, text: "Emu" }]);
  });

  it("keep what has no word with the sentence before it", () => {
    const texts = spreadSentences("– Emu! 🙂 … Bbiri.\n\n***\n", [{ start: 0, end: 2 }]).map(
      ({ text }) => text,
    );
    expect(texts).toEqual(["– Emu! 🙂 …", "Bbiri.\n\n***"]);
  });

  it("are empty for silence or without a text", () => {
    expect(spreadSentences("Emu.", [])).toEqual([]);
    expect(spreadSentences("", [{ start: 0, end: 1 }])).toEqual([]);
  });

  it("are spread, even thousands of them", { timeout: 10_000 }, () => {
    const speech = Array.from({ length: 500 }, (_, index) => ({ start: index, end: index + 0.5 }));
    expect(spreadSentences("a. ".repeat(3_333), speech)).toHaveLength(3_333);
  });
});

describe("A transcript", () => {
  it("has times to the millisecond", () => {
    expect(transcribe({ durationSeconds: 1.23456, speech: [{ start: 0.1 + 0.2, end: 1.2345 }] })).toEqual({
      durationSeconds: 1.235,
      text: noRecogniser,
      segments: [{ id: 0, start: 0.3, end: 1.235, text: noRecogniser }],
    });
  });

  it("is empty where nothing is audible, even with a text in the file", () => {
    expect(transcribe({ durationSeconds: 1, speech: [], spokenText: "Emu." })).toEqual({
      durationSeconds: 1,
      text: "",
      segments: [],
    });
  });
});
