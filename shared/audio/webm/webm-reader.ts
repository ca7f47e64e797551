import { type SourceWindow, scanBytes } from "../audio-source.ts";
import type { ContainerReader } from "../container.ts";
import { parseElement, writeElement, writeOpenElement } from "./ebml.ts";
import { clustersBackwards, type WebmBlock, walkWebm, webmIds } from "./webm-elements.ts";
import { findWebmTrack, type WebmTrack } from "./webm-track.ts";

/** WebM and Matroska, finished or as browsers record them. The last packet's time tells the duration. */
export const webmReader: ContainerReader = {
  async measure({ window }) {
    const track = await findWebmTrack(window);
    const { codec, sampleRate, channels, tickSeconds } = track;
    const ticks = (await findEnd(window, track)) - Math.max(0, track.firstTimestamp);
    const durationSeconds = Math.max(0, ticks * tickSeconds - track.delaySeconds);
    return { codec, durationSeconds, sampleRate, channels };
  },

  async *trim({ window }, seconds) {
    const track = await findWebmTrack(window);
    const heard = seconds + track.delaySeconds;
    const end = Math.max(0, track.firstTimestamp) + heard / track.tickSeconds;
    yield* headOf(await window.read(0, scanBytes), track, heard);

    let clusterTime = 0;
    let isClusterWritten = false;
    for await (const parts of walkWebm(window, 0)) {
      const kept: Uint8Array[] = [];
      let isAtEnd = false;
      for (const part of parts) {
        if (part.kind === "cluster") {
          clusterTime = part.timestamp;
          isClusterWritten = false;
        }
        if (part.kind !== "block" || part.track !== track.number) continue;
        isAtEnd = part.timestamp >= end;
        if (isAtEnd) break;
        if (!isClusterWritten) kept.push(clusterHead(clusterTime));
        isClusterWritten = true;
        kept.push(part.bytes);
      }
      yield Buffer.concat(kept);
      if (isAtEnd) return;
    }
  },
};

/** Looking at a few clusters is enough: the last one may be cut off before its first packet of sound. */
const mostClusters = 16;

/** When the last packet of the track ends, in ticks; searched from the end of the file, then in all of it. */
const findEnd = async (window: SourceWindow, track: WebmTrack): Promise<number> => {
  const tailStart = Math.max(0, window.size - scanBytes);
  const tail = await window.read(tailStart, scanBytes);
  let tries = 0;
  for (const offset of clustersBackwards(tail)) {
    const cluster = parseElement(tail, offset);
    const isCluster = cluster && parseElement(tail, cluster.start)?.id === webmIds.timestamp;
    const end = isCluster ? await endOfBlocks(window, tailStart + offset, track) : undefined;
    if (end !== undefined) return end;
    tries += 1;
    if (tries === mostClusters) break;
  }
  return (await endOfBlocks(window, 0, track)) ?? 0;
};

/** Longer than this no packet plays; a longer pause between two is silence that was not recorded. */
const longestPacketSeconds = 0.25;

const endOfBlocks = async (
  window: SourceWindow,
  start: number,
  track: WebmTrack,
): Promise<number | undefined> => {
  let last: WebmBlock | undefined;
  let pause = 0;
  for await (const parts of walkWebm(window, start)) {
    for (const part of parts) {
      if (part.kind !== "block" || part.track !== track.number) continue;
      if (last) pause = part.timestamp - last.timestamp;
      last = part;
    }
  }
  if (!last) return undefined;
  const longest = longestPacketSeconds / track.tickSeconds;
  const usual = (track.packetSeconds ?? 0) / track.tickSeconds;
  return last.timestamp + (last.duration ?? (pause > 0 && pause <= longest ? pause : usual));
};

/**
 * What stands before the first cluster: the type of the file, how long it is, and the one track that is kept.
 */
function* headOf(bytes: Uint8Array, track: WebmTrack, seconds: number): Generator<Uint8Array, void> {
  const type = parseElement(bytes, 0);
  if (type?.end !== undefined) yield bytes.subarray(0, type.end);
  yield writeOpenElement(webmIds.segment);

  const scale = Buffer.alloc(4);
  scale.writeUInt32BE(Math.round(track.tickSeconds * 1e9));
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(seconds / track.tickSeconds);
  const writer = Buffer.from("language-ai-service");
  const info = [
    writeElement(webmIds.timestampScale, scale),
    writeElement(webmIds.duration, duration),
    writeElement(webmIds.muxingApp, writer),
    writeElement(webmIds.writingApp, writer),
  ];
  yield writeElement(webmIds.info, Buffer.concat(info));
  yield writeElement(webmIds.tracks, writeElement(webmIds.trackEntry, track.entry));
}

const clusterHead = (timestamp: number): Uint8Array => {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(timestamp));
  return Buffer.concat([writeOpenElement(webmIds.cluster), writeElement(webmIds.timestamp, time)]);
};
