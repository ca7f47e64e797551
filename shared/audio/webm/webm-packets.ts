import type { PacketClock } from "../packets/aac-clock.ts";
import { packetClock } from "../packets/packet-clock.ts";
import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { asBuffer, byteAt } from "../reading/bytes.ts";
import { type FileSection, PacketTally } from "../reading/packet-tally.ts";
import { clusterId, type WebmBlock, walkWebm } from "./webm-elements.ts";
import { lacedFrames } from "./webm-lacing.ts";
import type { WebmTrack } from "./webm-track.ts";

interface CountedTrack {
  readonly tally: PacketTally;
  readonly clock: PacketClock;
}

/** Adds up the packets of the audio tracks in some parts of a file. The longest track counts: a player may choose it. */
export const countWebmPackets = async (
  window: SourceWindow,
  track: WebmTrack,
  tally: PacketTally,
  parts: readonly FileSection[],
): Promise<void> => {
  const tracks = new Map<number, CountedTrack>([
    ...track.others.map(
      (other) => [other.number, { tally: new PacketTally(), clock: packetClock(other) }] as const,
    ),
    [track.number, { tally, clock: packetClock(track) }],
  ]);
  for (const { start, end } of parts) {
    const first = start === 0 ? 0 : await findCluster(window, start);
    if (first === undefined) return tally.add(Number.POSITIVE_INFINITY);
    for (const counted of tracks.values()) counted.tally.skip();
    tally.bytes += (await countPart(window, tracks, track.tickSeconds, first, end - start)) - first;
  }
  const longest = [...tracks.values()].reduce(
    (most, counted) => Math.max(most, counted.tally.seconds),
    Number.NEGATIVE_INFINITY,
  );
  tally.add(longest - tally.seconds);
};

/** Counts to the first cluster after a number of bytes, so that each cluster is counted whole. @returns where that is */
const countPart = async (
  window: SourceWindow,
  tracks: ReadonlyMap<number, CountedTrack>,
  tickSeconds: number,
  start: number,
  bytes: number,
): Promise<number> => {
  for await (const elements of walkWebm(window, start)) {
    for (const element of elements) {
      if (element.kind === "cluster" && element.offset - start > bytes) return element.offset;
      if (element.kind !== "block") continue;
      const counted = tracks.get(element.track);
      if (!counted) continue;
      counted.tally.reach(element.timestamp * tickSeconds);
      counted.tally.add(secondsOf(element, counted.clock));
    }
  }
  return window.size;
};

/** How long the packets of a block play. */
export const secondsOf = ({ bytes, timeOffset, end }: WebmBlock, clock: PacketClock): number => {
  const frames = lacedFrames(bytes.subarray(timeOffset + 3, end), (byteAt(bytes, timeOffset + 2) >> 1) & 3);
  return frames.reduce((sum, frame) => sum + clock.secondsOf(frame.length, frame), 0);
};

/** A cluster plays half a minute at most: with a video, some megabytes. */
const maxClusterBytes = 8 * scanBytes;

const findCluster = async (window: SourceWindow, start: number): Promise<number | undefined> => {
  for (let position = start; position < start + maxClusterBytes; position += scanBytes - clusterId.length) {
    const found = asBuffer(await window.read(position, scanBytes)).indexOf(clusterId);
    if (found >= 0) return position + found;
  }
  return undefined;
};
