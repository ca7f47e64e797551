import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createEncoder, type WasmMediaEncoder } from "wasm-media-encoders/esnext";
import { mp3Format } from "../mpeg/mp3.ts";
import { plainExtension, writeVbrHeader } from "../mpeg/vbr-header.ts";
import type { SampleEncoder } from "./samples.ts";

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

/** LAME starts with as many samples of silence; decoders add 529, and players know that. */
const encoderDelay = 576;
const frameSamples = 576;
const frameBytes = (sampleRate: Mp3Rate): number => (frameSamples * kilobitsPerSecond * 125) / sampleRate;

/**
 * The first frame of a file, which has no audio: it says how many samples LAME has added at both ends, so that players leave them
 * out. In a stream it can say only what was added at the start.
 * @param head of a frame of the file
 */
const informationFrame = (
  head: Uint8Array,
  counts?: { readonly frames: number; readonly samples: number },
) => {
  const frame = mp3Format.parse(head, 0);
  if (!frame) throw new Error("LAME has written no MP3.");
  const padding = counts ? counts.frames * frameSamples - encoderDelay - counts.samples : 0;
  const encoder = { extension: plainExtension, delay: encoderDelay, padding };
  return writeVbrHeader({ tag: "Info", encoder }, head, frame, counts?.frames);
};

/** Encodes one mono stream as MP3, at a constant bit rate: players then derive the length from a file's size. */
export const createMp3Encoder = async (sampleRate: Mp3Rate): Promise<SampleEncoder> => {
  const lame = idle.pop() ?? (await createEncoder("audio/mpeg", await readLame()));
  lame.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate, bitrate: kilobitsPerSecond });
  let head: Uint8Array | undefined;
  let [samples, bytes] = [0, 0];
  // What is given out belongs to the encoder, which writes over it the next time.
  const withHead = (frames: Uint8Array): Uint8Array => {
    bytes += frames.length;
    if (head || frames.length === 0) return Buffer.from(frames);
    head = Uint8Array.from(frames.subarray(0, 4));
    return Buffer.concat([informationFrame(head), frames]);
  };
  return {
    encode(some) {
      samples += some.length;
      return withHead(lame.encode([some]));
    },
    finish() {
      const last = withHead(lame.finalize());
      idle.push(lame);
      return last;
    },
    start: () =>
      head && informationFrame(head, { frames: Math.round(bytes / frameBytes(sampleRate)), samples }),
    close: () => undefined,
  };
};
