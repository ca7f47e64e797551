import OpusScript from "opusscript";
import { frameSeconds } from "./join-bursts.ts";
import type { SampleEncoder } from "./samples.ts";
import { toSixteenBits } from "./samples.ts";
import { OggOpusWriter, preSkipSeconds } from "./write-ogg-opus.ts";

/** Encodes one mono stream, frame by frame. */
export interface OpusFrameEncoder {
  /** @param frame 20 ms of 16-bit samples, little endian. @returns the packet; it stays valid. */
  encode(frame: Buffer): Uint8Array;
  /** Frees what the encoder holds outside of JavaScript's memory. */
  close(): void;
}

const bytesPerSample = 2;

/** Sample rates of Opus, in hertz (RFC 6716, section 2.1.3). */
export type OpusRate = 8_000 | 12_000 | 16_000 | 24_000 | 48_000;

/** For speech: at most 3 kB a second. */
const bitsPerSecond = 24_000;

/** `OPUS_SET_COMPLEXITY` from 0 to 10. At 5, which browsers use on phones, speech costs half of what it costs at 9. */
const setComplexity = { request: 4_010, value: 5 } as const;

/** libopus, compiled to WebAssembly. */
export const createLibopusEncoder = (sampleRate: OpusRate): OpusFrameEncoder => {
  const opus = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP);
  opus.setBitrate(bitsPerSecond);
  opus.encoderCTL(setComplexity.request, setComplexity.value);
  return {
    encode: (frame) => opus.encode(frame, frame.length / bytesPerSample),
    close: () => opus.delete(),
  };
};

/** Encodes one mono stream as Opus in Ogg. @param createEncoder creates the encoder for audio of a rate. */
export const createOpusEncoder = (
  sampleRate: OpusRate,
  createEncoder: (sampleRate: OpusRate) => OpusFrameEncoder = createLibopusEncoder,
): SampleEncoder => {
  const frameBytes = Math.round(sampleRate * frameSeconds) * bytesPerSample;
  const writer = new OggOpusWriter({ packetSeconds: frameSeconds, sampleRate });
  const encoder = createEncoder(sampleRate);
  let head = writer.begin();
  let held: Buffer = Buffer.alloc(0);
  let samples = 0;

  /** Encodes all but the last frame, which may be the one that ends the file. */
  const writeFrames = (bytes: Buffer): Buffer => {
    const whole = Math.max(0, Math.ceil(bytes.length / frameBytes) - 1) * frameBytes;
    const pages = [head];
    head = Buffer.alloc(0);
    for (let start = 0; start < whole; start += frameBytes) {
      pages.push(writer.add(encoder.encode(bytes.subarray(start, start + frameBytes))));
    }
    held = bytes.subarray(whole);
    return Buffer.concat(pages);
  };

  return {
    encode: (more) => {
      samples += more.length;
      return writeFrames(Buffer.concat([held, toSixteenBits(more)]));
    },
    finish: () => {
      // What a decoder drops at the start shifts the end of the audio into the silence after it.
      const silence = Buffer.alloc(Math.round(sampleRate * preSkipSeconds) * bytesPerSample);
      const pages = writeFrames(Buffer.concat([held, silence]));
      const last = Buffer.concat([held], frameBytes);
      return Buffer.concat([pages, writer.end(encoder.encode(last), samples)]);
    },
    close: () => encoder.close(),
  };
};
