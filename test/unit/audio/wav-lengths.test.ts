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

  it("separates the length of the audio from what follows it", () => {
    const known = header(480, { stated: true });
    expect(lengthsOf(completeHeader(known, 480 + 26))).toEqual([known.bytes.length - 8 + 480 + 26, 480]);
    expect(audioSeconds(known, 480 + 26)).toBe(0.01);
  });

  it("returns the duration of what arrived", () => {
    expect(audioSeconds(header(undefined), 96_000)).toBe(2);
  });
});
