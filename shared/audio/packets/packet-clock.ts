import { flacClock } from "../flac/flac-frame.ts";
import { framesSeconds } from "../mpeg/frames.ts";
import { mp3Format } from "../mpeg/mp3.ts";
import { byteAt, uint32BigEndian } from "../reading/bytes.ts";
import type { PacketClock } from "./aac-clock.ts";
import { aacClock } from "./aac-clock.ts";
import { dolbySeconds } from "./dolby-frames.ts";
import { vorbisClock } from "./vorbis-clock.ts";

/** What a container says about a codec. */
export interface CodecSetup {
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Of one uncompressed sample; 0 when it is unknown. */
  readonly bytesPerSample?: number | undefined;
  /** What the decoder is configured with; for Vorbis the first of its headers. */
  readonly configuration?: Uint8Array | undefined;
  /** For Vorbis, the last of its headers. */
  readonly setup?: Uint8Array | undefined;
}

/** The clock of a codec. One that is unknown counts nothing, so that the container's times count. */
export const packetClock = (setup: CodecSetup): PacketClock => {
  const { codec, sampleRate, channels, bytesPerSample = 0, configuration = new Uint8Array(0) } = setup;
  if (codec === "aac") return aacClock(configuration, sampleRate, channels);
  if (bytesPerSample > 0) {
    const blockBytes = bytesPerSample * Math.max(1, channels);
    const secondsOf = (size: number): number => Math.max(1, size / blockBytes) / sampleRate;
    return { needsOnlySize: true, secondsOf };
  }
  const seconds = codec === "vorbis" ? vorbisClock(configuration, setup.setup) : clocks.get(codec)?.(setup);
  return { needsOnlySize: !seconds, secondsOf: (_size, packet) => seconds?.(packet) ?? 0 };
};

type SecondsOf = (packet: Uint8Array) => number;

const opusMilliseconds = [
  ...[10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60],
  ...[10, 20, 10, 20],
  ...[2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20],
];
const maxOpusMilliseconds = 120;

/** By the first byte of a packet, or two (RFC 6716, section 3). */
export const opusSeconds: SecondsOf = (packet) => {
  const first = byteAt(packet, 0);
  const frames = [packet.length > 0 ? 1 : 0, 2, 2, byteAt(packet, 1) & 63][first & 3] ?? 0;
  return Math.min(maxOpusMilliseconds, frames * (opusMilliseconds[first >> 3] ?? 0)) / 1_000;
};

/** The bytes of a frame after its first, by its mode (3GPP TS 26.101 and 26.201). */
export const amrBytes: readonly number[] = [12, 13, 15, 17, 19, 20, 26, 31, 5];
export const amrWideBytes: readonly number[] = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5];
const amrFrameSeconds = 0.02;

const amrSeconds =
  (bytesOf: readonly number[]): SecondsOf =>
  (packet) => {
    let frames = 0;
    for (let offset = 0; offset < packet.length; frames += 1) {
      offset += 1 + (bytesOf[(byteAt(packet, offset) >> 3) & 15] ?? 0);
    }
    return frames * amrFrameSeconds;
  };

/** The most samples that a packet of ALAC has, and their rate; a shorter packet says so after its first bits. */
const alacClock = ({ configuration = new Uint8Array(0) }: CodecSetup): SecondsOf | undefined => {
  const frameSamples = uint32BigEndian(configuration, 0);
  const sampleRate = uint32BigEndian(configuration, 20);
  if (sampleRate === 0) return undefined;
  return (packet) => {
    const isShort = byteAt(packet, 2) & 0x10;
    const samples = ((byteAt(packet, 2) & 1) * 2 ** 32 + uint32BigEndian(packet, 3)) / 2;
    return (isShort ? Math.min(frameSamples, Math.floor(samples)) : frameSamples) / sampleRate;
  };
};

/** In the description of a FLAC stream. */
const flacRate = (description: Uint8Array = new Uint8Array(0)): number =>
  uint32BigEndian(description, 10) >>> 12;

const clocks: ReadonlyMap<string, (setup: CodecSetup) => SecondsOf | undefined> = new Map([
  ["opus", () => opusSeconds],
  ["mp3", () => (packet) => framesSeconds(packet, mp3Format)],
  ["flac", ({ sampleRate, configuration }) => flacClock(flacRate(configuration) || sampleRate)],
  ["alac", alacClock],
  ["amr", () => amrSeconds(amrBytes)],
  ["amr-wb", () => amrSeconds(amrWideBytes)],
  ["ac3", () => dolbySeconds],
  ["eac3", () => dolbySeconds],
]);
