import { describe, expect, it } from "vitest";
import type { SpeechHeader } from "../../../shared/audio/wav/streamed-wav.ts";
import { audioSeconds, completeHeader, streamedHeader } from "../../../shared/audio/wav/streamed-wav.ts";
import { audioBytes, type WavOptions, wavFile, wavHeaderBytes } from "../../support/wav.ts";

const unknown = 0xff_ff_ff_ff;
const audio = audioBytes(480);

const header = (known: number | undefined, options: WavOptions = {}): SpeechHeader => ({
  bytes: wavHeaderBytes(480, options),
  format: { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16 },
  audioBytes: known,
});
const lengthsOf = (bytes: Uint8Array) => {
  const buffer = Buffer.from(bytes);
  return [buffer.readUInt32LE(4), buffer.readUInt32LE(buffer.length - 4)];
};

describe("the header of speech", () => {
  it("marks the length as unknown in a stream, with any value from the server", () => {
    expect(lengthsOf(streamedHeader(header(undefined, { stated: 0 })))).toEqual([unknown, unknown]);
    expect(lengthsOf(streamedHeader(header(undefined, { stated: 0x7f_ff_ff_ff })))).toEqual([
      unknown,
      unknown,
    ]);
  });

  it("stays unchanged when the server knew the length", () => {
    const known = header(480, { stated: true, comment: "Webale" });
    expect(streamedHeader(known)).toEqual(known.bytes);
  });

  it("has true lengths once the file is complete", () => {
    const whole = Buffer.concat([completeHeader(header(undefined, { comment: "Webale" }), 480), audio]);
    expect(whole.equals(wavFile(audio, { stated: true, comment: "Webale" }))).toBe(true);
  });

  it("marks an announced length as unknown while more may follow, and has the true one at the end", () => {
    const known = { ...header(480, { stated: true }), mayContinue: true };
    expect(lengthsOf(streamedHeader(known))).toEqual([unknown, unknown]);
    expect(lengthsOf(completeHeader(known, 960))).toEqual([known.bytes.length - 8 + 960, 960]);
  });

  it("returns the duration of what arrived", () => {
    expect(audioSeconds(header(undefined), 96_000)).toBe(2);
  });
});
