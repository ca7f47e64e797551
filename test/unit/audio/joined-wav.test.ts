import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JoinedWav } from "../../../shared/audio/wav/joined-wav.ts";
import { readWavHeader, type SampleFormat } from "../../../shared/audio/wav/wav-header.ts";
import { audioBytes, wavFile } from "../../support/wav.ts";

const formatOf = (file: Uint8Array) => {
  const header = readWavHeader(file);
  if (!header) throw new Error("The header is not complete.");
  return header;
};

/** What is heard of a stream that comes in pieces. @param known what its first header announces. */
const hear = (stream: Buffer, known: number | undefined, cuts: readonly number[] = []): Buffer => {
  const { format, dataStart } = formatOf(stream);
  const wav = new JoinedWav(format, known);
  const body = stream.subarray(dataStart);
  const offsets = [0, ...cuts.filter((cut) => cut < body.length).toSorted((a, b) => a - b)];
  const pieces = offsets.map((start, index) => body.subarray(start, offsets[index + 1]));
  return Buffer.concat([...pieces.flatMap((piece) => wav.read(piece)), wav.end()]);
};

const one = audioBytes(960);
const two = audioBytes(480).reverse();
const text = Buffer.from("LIST\x0a\0\0\0INFOISFT\0\0");
const stated = (audio: Buffer): Buffer => wavFile(audio, { stated: true });

/** Audio that looks like the start of a file or a chunk. */
const alike = Buffer.from("RIFFRIFF\0\0\0\0WAVRIFdatRI");

describe("the audio of a WAV stream", () => {
  it.each<[string, Buffer, number | undefined, Buffer]>([
    ["of one file", stated(one), 960, one],
    ["of one file with a description behind it", Buffer.concat([stated(one), text]), 960, one],
    [
      "of a file for each sentence",
      Buffer.concat([stated(one), stated(two)]),
      960,
      Buffer.concat([one, two]),
    ],
    [
      "of files of unknown length",
      Buffer.concat([wavFile(one), wavFile(two), wavFile(one)]),
      undefined,
      Buffer.concat([one, two, one]),
    ],
    [
      "of files with descriptions before and behind their audio",
      Buffer.concat([stated(one), text, wavFile(two, { stated: true, comment: "Webale" }), text]),
      960,
      Buffer.concat([one, two]),
    ],
    ["of which the header announces half", stated(one), 480, one],
    [
      "of which the header announces all files",
      Buffer.concat([stated(one), stated(two)]),
      1_440,
      Buffer.concat([one, two]),
    ],
    [
      "in two chunks of one file",
      Buffer.concat([stated(one), Buffer.from("data\xe0\x01\0\0", "latin1"), two]),
      960,
      Buffer.concat([one, two]),
    ],
    ["that looks like a header", wavFile(alike), undefined, alike],
    [
      "that looks like a header behind the announced end",
      Buffer.concat([stated(one), alike]),
      960,
      Buffer.concat([one, alike]),
    ],
    ["with a byte too many", Buffer.concat([stated(one), Buffer.of(1)]), 960, one],
    [
      "of an odd length, filled up",
      Buffer.concat([stated(one.subarray(1)), Buffer.of(0), stated(two)]),
      959,
      Buffer.concat([one.subarray(1), two]),
    ],
    [
      "of an odd length, not filled up",
      Buffer.concat([stated(one.subarray(1)), stated(two)]),
      959,
      Buffer.concat([one.subarray(1), two]),
    ],
  ])("is whole, however it is cut: %s", (_case, stream, known, heard) => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: stream.length }), { maxLength: 12 }), (cuts) => {
        expect(hear(stream, known, cuts).equals(heard)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ["continues in another format", Buffer.concat([stated(one), wavFile(two, { sampleRate: 16_000 })])],
    ["ends inside the header of a file", Buffer.concat([stated(one), stated(two).subarray(0, 30)])],
    ["ends inside a file", Buffer.concat([stated(one), stated(two).subarray(0, 300)])],
  ])("cannot be read when it %s", (_case, stream) => {
    expect(() => hear(stream, 960)).toThrow(/WAV file/);
  });

  it("costs no copy where it comes alone", () => {
    const format: SampleFormat = { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16 };
    const [samples] = new JoinedWav(format, undefined).read(one);
    expect(samples?.buffer).toBe(one.buffer);
  });
});
