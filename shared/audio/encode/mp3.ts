import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createEncoder, type WasmMediaEncoder } from "wasm-media-encoders/esnext";
import type { SampleEncoder } from "./encode-audio.ts";

type Lame = WasmMediaEncoder<"audio/mpeg">;

/** For speech; MPEG-2 has the rates of {@link Mp3Rate}. */
const kilobitsPerSecond = 48;

/** Sample rates of MPEG-2 layer III, in hertz; every MP3 player supports them. */
export type Mp3Rate = 16_000 | 22_050 | 24_000;

/** LAME: a separate file, so that operators can replace it by another build. */
const readLame = (): Promise<Buffer> =>
  readFile(fileURLToPath(import.meta.resolve("wasm-media-encoders/wasm/mp3")));

/** Finished encoders, for reuse: each holds some megabytes outside of JavaScript's memory. */
const idle: Lame[] = [];

/** Encodes one mono stream as MP3, at a constant bit rate: players then derive the length from a file's size. */
export const createMp3Encoder = async (sampleRate: Mp3Rate): Promise<SampleEncoder> => {
  const lame = idle.pop() ?? (await createEncoder("audio/mpeg", await readLame()));
  lame.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate, bitrate: kilobitsPerSecond });
  return {
    // What is given out belongs to the encoder, which writes over it the next time.
    encode: (samples) => Buffer.from(lame.encode([samples])),
    finish: () => {
      const last = Buffer.from(lame.finalize());
      idle.push(lame);
      return last;
    },
    close: () => undefined,
  };
};
