import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import type { FileSection, PacketTally } from "../reading/packet-tally.ts";
import { type FlacFrame, flacFramesIn, maxFlacHeaderBytes } from "./flac-frame.ts";
import type { FlacStream } from "./flac-stream.ts";

/** Adds up the frames that start in some parts of a file. */
export const countFlacFrames = async (
  window: SourceWindow,
  { framesStart, shape, sampleRate }: FlacStream,
  tally: PacketTally,
  parts: readonly FileSection[],
): Promise<void> => {
  for (const { start, end } of parts) {
    let last: FlacFrame | undefined;
    tally.skip();
    tally.bytes += end - start;
    for (
      let position = Math.max(start, framesStart);
      position < end;
      position += scanBytes - maxFlacHeaderBytes
    ) {
      const bytes = await window.read(position, scanBytes);
      const searched = Math.min(end - position, scanBytes - maxFlacHeaderBytes);
      for (const frame of flacFramesIn(bytes, searched, shape, sampleRate)) {
        // Bytes that look like a header by chance continue nothing.
        const continues = last && frame.firstSample === last.firstSample + last.samples;
        if (continues) tally.reach(frame.firstSample / sampleRate);
        tally.add(frame.seconds);
        last = frame;
      }
    }
  }
};
