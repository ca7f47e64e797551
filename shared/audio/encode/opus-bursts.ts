import { createLibopusEncoder, frameSeconds, type OpusFrameEncoder } from "./opus.ts";
import { toSixteenBits } from "./samples.ts";
import { OggOpusWriter, preSkipSeconds } from "./write-ogg-opus.ts";

/** The sample rate of bursts, in hertz. */
export const burstRate = 24_000;

const frameSamples = frameSeconds * burstRate;
const preSkipSamples = preSkipSeconds * burstRate;

/** Some audio in a recording, encoded. Between bursts there is silence. */
export interface OpusBurst {
  /** The position of its first packet, counted in packets from the start of the recording. */
  readonly frame: number;
  readonly packets: readonly Uint8Array[];
}

const encodeFrames = (samples: Float32Array, encoder: OpusFrameEncoder): Uint8Array[] => {
  const bytes = toSixteenBits(samples);
  const frameBytes = frameSamples * 2;
  return Array.from({ length: bytes.length / frameBytes }, (_, index) =>
    encoder.encode(bytes.subarray(index * frameBytes, (index + 1) * frameBytes)),
  );
};

/**
 * Encodes audio that starts at a time of a recording, to the sample. Packets are on the recording's grid of 20 ms, so bursts can
 * be joined without decoding them.
 *
 * @param samples at {@link burstRate}. The next burst must start at least 50 ms after them.
 * @param start in seconds.
 */
export const encodeBurst = (samples: Float32Array, start: number): OpusBurst => {
  const first = Math.round(start * burstRate);
  const frame = Math.floor(first / frameSamples);
  if (samples.length === 0) return { frame, packets: [] };
  const lead = first - frame * frameSamples;
  // The codec delays audio by what decoders skip at the start of a file.
  const frames = Math.ceil((lead + samples.length + preSkipSamples) / frameSamples);
  const padded = new Float32Array(frames * frameSamples);
  padded.set(samples, lead);
  const encoder = createLibopusEncoder(burstRate);
  try {
    return { frame, packets: encodeFrames(padded, encoder) };
  } finally {
    encoder.close();
  }
};

/** In bits per second: silence needs the fewest. */
const silentBitrate = 6_000;

/** A packet of silence, as it is after the first ones of a stream. */
const silentPacket = (): Uint8Array => {
  const encoder = createLibopusEncoder(burstRate, silentBitrate);
  try {
    return encodeFrames(new Float32Array(4 * frameSamples), encoder).at(-1) ?? new Uint8Array();
  } finally {
    encoder.close();
  }
};

/**
 * Joins bursts into one Ogg Opus file that plays exactly as long as their recording.
 *
 * @param bursts in the order of their positions.
 * @param seconds the length of the recording.
 */
export async function* joinBursts(
  bursts: AsyncIterable<OpusBurst> | Iterable<OpusBurst>,
  seconds: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const samples = Math.round(seconds * burstRate);
  const frames = Math.max(1, Math.ceil((samples + preSkipSamples) / frameSamples));
  const writer = new OggOpusWriter({ packetSeconds: frameSeconds, sampleRate: burstRate });
  const silence = silentPacket();
  yield writer.begin();
  let position = 0;
  const add = function* (packet: Uint8Array): Generator<Uint8Array, void, undefined> {
    position += 1;
    const page = position < frames ? writer.add(packet) : writer.end(packet, samples);
    if (page.length > 0) yield page;
  };
  for await (const { frame, packets } of bursts) {
    while (position < Math.min(frame, frames)) yield* add(silence);
    // A burst never overlaps the one before it; if one did, what was first is heard.
    for (const packet of packets.slice(position - Math.min(frame, position))) {
      if (position < frames) yield* add(packet);
    }
  }
  while (position < frames) yield* add(silence);
}
