import { makeFlac } from "../../fixtures/audio/make-flac.ts";
import { makeMp4, mp4PacketSamples, mp4Rate } from "../../fixtures/audio/make-mp4.ts";
import {
  adtsFrameSamples,
  adtsRate,
  makeAdts,
  makeMp3,
  mp3FrameSamples,
  mp3Rate,
} from "../../fixtures/audio/make-mpeg.ts";
import { makeOggOpus, makeOggVorbis } from "../../fixtures/audio/make-ogg.ts";
import { makeWav } from "../../fixtures/audio/make-wav.ts";
import { makeWebm } from "../../fixtures/audio/make-webm.ts";

/** Creates a file of this duration and about this size, as far as its format allows. */
type Maker = (seconds: number, bytes: number) => Buffer | Promise<Buffer>;

const packetsOf = (seconds: number, packetSeconds: number) => Math.ceil(seconds / packetSeconds);

/** Large files of compressed formats are large because their packets are: what a probe reads is their number. */
const packetBytes = (bytes: number, packets: number, max: number) =>
  Math.max(20, Math.min(max, Math.floor(bytes / packets)));

const opus: Maker = (seconds, bytes) => {
  const packets = packetsOf(seconds, 0.02);
  return makeOggOpus(packets, { packetBytes: packetBytes(bytes, packets, 1_200) });
};

export const longFiles: Readonly<Record<string, Maker>> = {
  wav: (seconds, bytes) => makeWav({ data: Buffer.alloc(bytes || seconds * 32_000) }),
  mp3: (seconds) => makeMp3(packetsOf(seconds, mp3FrameSamples / mp3Rate)),
  adts: (seconds, bytes) => {
    const frames = packetsOf(seconds, adtsFrameSamples / adtsRate);
    return makeAdts(frames, packetBytes(bytes, frames, 8_000));
  },
  "ogg opus": opus,
  "ogg vorbis": (seconds, bytes) => {
    const packets = packetsOf(seconds, 512 / 16_000);
    return makeOggVorbis(packets, packetBytes(bytes, packets, 1_200));
  },
  m4a: (seconds, bytes) => {
    const packets = packetsOf(seconds, mp4PacketSamples / mp4Rate);
    return makeMp4(packets, "start", packetBytes(bytes, packets, 8_000));
  },
  webm: (seconds, bytes) => {
    const packets = packetsOf(seconds, 0.02);
    return makeWebm(packets, { packetBytes: packetBytes(bytes, packets, 2_000) });
  },
  flac: (seconds) => makeFlac(seconds * 16_000),
};
