import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import type { ContainerReader } from "../reading/container.ts";
import { compareWithPackets } from "../reading/packet-tally.ts";
import { parseElement } from "./ebml.ts";
import { cutWebm, endOf, webmPoints } from "./webm-cut.ts";
import { clustersBackwards, type WebmBlock, walkWebm, webmIds } from "./webm-elements.ts";
import { countWebmPackets } from "./webm-packets.ts";
import { findWebmTrack, type WebmTrack } from "./webm-track.ts";

/** WebM and Matroska, finished or as browsers record them. The last packet's time is the stated duration. */
export const webmReader: ContainerReader = {
  async measure({ window }) {
    const track = await findWebmTrack(window);
    const { codec, sampleRate, channels, tickSeconds } = track;
    const ticks = (await findEnd(window, track)) - Math.max(0, track.firstTimestamp);
    const stated = Math.max(0, ticks * tickSeconds - track.delaySeconds);
    const unheard = Math.min(track.delaySeconds, maxDelaySeconds);
    const length = await compareWithPackets(window, { stated, unheard }, (tally, parts) =>
      countWebmPackets(window, track, tally, parts),
    );
    return { codec, ...length, sampleRate, channels };
  },

  async ticksAt({ window }, seconds) {
    const { firstTimestamp, delaySeconds, tickSeconds } = await findWebmTrack(window);
    return Math.max(0, firstTimestamp) + (seconds + delaySeconds) / tickSeconds;
  },

  cutPoints: webmPoints,
  cut: cutWebm,
};

/** Decoders need a tenth of it to be in step. */
const maxDelaySeconds = 1;

/** A few clusters are enough: the last one may be cut off before its first audio packet. */
const maxClusters = 16;

/** When the last packet of the track ends, in ticks; searched from the end of the file, then in all of it. */
const findEnd = async (window: SourceWindow, track: WebmTrack): Promise<number> => {
  const tailStart = Math.max(0, window.size - scanBytes);
  const tail = await window.read(tailStart, scanBytes);
  let attempts = 0;
  for (const offset of clustersBackwards(tail)) {
    const cluster = parseElement(tail, offset);
    const isCluster = cluster && parseElement(tail, cluster.start)?.id === webmIds.timestamp;
    const end = isCluster ? await endOfBlocks(window, tailStart + offset, track) : undefined;
    if (end !== undefined) return end;
    attempts += 1;
    if (attempts === maxClusters) break;
  }
  return (await endOfBlocks(window, 0, track)) ?? 0;
};

const endOfBlocks = async (
  window: SourceWindow,
  start: number,
  track: WebmTrack,
): Promise<number | undefined> => {
  let previous: WebmBlock | undefined;
  let last: WebmBlock | undefined;
  for await (const parts of walkWebm(window, start)) {
    for (const part of parts) {
      if (part.kind !== "block" || part.track !== track.number) continue;
      [previous, last] = [last, part];
    }
  }
  return last && endOf(last, previous, track);
};
