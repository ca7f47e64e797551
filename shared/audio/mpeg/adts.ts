import { UnreadableAudioError } from "../audio-errors.ts";
import type { ContainerFile, ContainerReader } from "../container-reader.ts";
import { adtsFormat } from "./adts-frame.ts";
import { countSamples } from "./count-samples.ts";
import { type FrameStream, frameRuns } from "./frame-runs.ts";

/** AAC as a bare stream of ADTS frames. */
export const adtsReader: ContainerReader = {
  async measure({ window, start }) {
    const stream = await openStream({ window, start });
    const samples = await countSamples(window, stream);
    const { sampleRate, channels } = stream.reference;
    return { codec: "aac", durationSeconds: samples / sampleRate, sampleRate, channels };
  },

  async *trim({ window, start }, seconds) {
    const stream = await openStream({ window, start });
    for await (const run of frameRuns(window, stream, seconds * stream.reference.sampleRate)) yield run.bytes;
  },
};

const openStream = async ({
  window,
  start,
}: Pick<ContainerFile, "window" | "start">): Promise<FrameStream> => {
  const reference = adtsFormat.parse(await window.read(start, adtsFormat.longestFrame), 0);
  if (!reference) throw new UnreadableAudioError("The audio is damaged: it holds no AAC frame.");
  return { format: adtsFormat, start, reference };
};
