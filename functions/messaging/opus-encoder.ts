import OpusScript from "opusscript";
import type { Speech } from "../../shared/inference/speech.ts";
import type { SpeechEncoder } from "./voice-notes.ts";
import { preSkipSeconds, writeOggOpus } from "./write-ogg-opus.ts";

/** Encodes one stream of mono sound, frame by frame. */
export interface OpusFrameEncoder {
  /** @param frame 20 ms of 16-bit samples, little endian. @returns the packet; it stays valid. */
  encode(frame: Buffer): Uint8Array;
  /** Frees what the encoder holds outside of JavaScript's memory. */
  close(): void;
}

const frameSeconds = 0.02;
const bytesPerSample = 2;

/** Rates that Opus takes, in hertz (RFC 6716, section 2.1.3). */
const opusRates = [8_000, 12_000, 16_000, 24_000, 48_000] as const;
export type OpusRate = (typeof opusRates)[number];

const readSound = async ({ sound }: Speech): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of sound) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return bytes.subarray(0, bytes.length - (bytes.length % bytesPerSample));
};

/**
 * Voice notes as phones record them: Opus in Ogg. The platform shows no other format as a voice note.
 *
 * @param createEncoder makes an encoder for sound of a rate; one for each voice note.
 */
export const createOpusSpeechEncoder = (
  createEncoder: (sampleRate: OpusRate) => OpusFrameEncoder,
): SpeechEncoder => ({
  contentType: "audio/ogg; codecs=opus",
  fileExtension: "ogg",
  encode: async (speech) => {
    const { encoding, sampleRate, channels, bitsPerSample } = speech.header.format;
    const isPlain = encoding === "pcm" && channels === 1 && bitsPerSample === 8 * bytesPerSample;
    const rate = opusRates.find((known) => known === sampleRate);
    if (!isPlain || rate === undefined) {
      throw new Error("The speech is not mono PCM with 16 bits at a rate that Opus takes.");
    }
    const sound = await readSound(speech);
    const frameBytes = Math.round(sampleRate * frameSeconds) * bytesPerSample;
    const length = sound.length + Math.round(sampleRate * preSkipSeconds) * bytesPerSample;
    const padded = Buffer.concat([sound], Math.ceil(length / frameBytes) * frameBytes);
    const encoder = createEncoder(rate);
    try {
      const packets: Uint8Array[] = [];
      for (let start = 0; start < padded.length; start += frameBytes) {
        packets.push(encoder.encode(padded.subarray(start, start + frameBytes)));
      }
      const samples = sound.length / bytesPerSample;
      return writeOggOpus({ packets, packetSeconds: frameSeconds, sampleRate, samples });
    } finally {
      encoder.close();
    }
  },
});

/** As phones record voice notes; 45 seconds take about 130 kB. */
const bitsPerSecond = 24_000;

/** libopus, compiled to WebAssembly: about a second of CPU for 45 seconds of speech. */
export const createLibopusEncoder = (sampleRate: OpusRate): OpusFrameEncoder => {
  const opus = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP);
  opus.setBitrate(bitsPerSecond);
  return {
    encode: (frame) => opus.encode(frame, frame.length / bytesPerSample),
    close: () => opus.delete(),
  };
};
