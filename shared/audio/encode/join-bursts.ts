import { OggOpusWriter, preSkipSeconds } from "./write-ogg-opus.ts";

/** How long a packet of Opus plays, in seconds. */
export const frameSeconds = 0.02;

/** The sample rate of bursts, in hertz. */
export const burstRate = 24_000;

/** The samples of a packet, and those that decoders skip at the start. */
export const frameSamples = frameSeconds * burstRate;
export const preSkipSamples = preSkipSeconds * burstRate;

/** Some audio in a recording, encoded. Between bursts there is silence. */
export interface OpusBurst {
  /** The position of its first packet, counted in packets from the start of the recording. */
  readonly frame: number;
  readonly packets: readonly Uint8Array[];
}

/**
 * A packet of silence at 24 kHz, as libopus encodes it at 6 kbit/s after the first ones of a stream. It is a constant, so functions
 * that only join bursts need no codec.
 */
const silence = Buffer.from("0808acb30ec6", "hex");

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
