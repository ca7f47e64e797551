import { packetClock } from "../packets/packet-clock.ts";
import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import type { ContainerFile } from "../reading/container.ts";
import { type Cut, type CutPoint, type CutPoints, type Position, pointSpacing } from "../reading/piece.ts";
import { parseElement, writeElement, writeOpenElement } from "./ebml.ts";
import { type WebmBlock, walkWebm, webmIds } from "./webm-elements.ts";
import { secondsOf } from "./webm-packets.ts";
import { findWebmTrack, type WebmTrack } from "./webm-track.ts";

/** Longer than any packet plays; a longer gap between two is silence that was not recorded. */
const maxPacketSeconds = 0.25;

/** When a block ends, in ticks: as its group says; as its packets play; or, where neither is known, as the block before it. */
export const endOf = (block: WebmBlock, previous: WebmBlock | undefined, track: WebmTrack): number => {
  const { tickSeconds, packetSeconds = 0 } = track;
  if (block.duration !== undefined) return block.timestamp + block.duration;
  const clock = packetClock(track);
  // A packet of Vorbis plays as long as it overlaps with the one before it.
  if (previous) secondsOf(previous, clock);
  const seconds = secondsOf(block, clock);
  if (seconds > 0) return block.timestamp + seconds / tickSeconds;
  const pause = previous ? block.timestamp - previous.timestamp : 0;
  const isPacket = pause > 0 && pause * tickSeconds <= maxPacketSeconds;
  return block.timestamp + (isPacket ? pause : packetSeconds / tickSeconds);
};

export const webmPoints = async ({ window }: ContainerFile): Promise<CutPoints> => {
  const track = await findWebmTrack(window);
  const head = Buffer.concat([...headOf(await window.read(0, scanBytes), track, 0)]);
  return { headBytes: head.length + maxFirstClusterBytes, points: pointsOf(window, track) };
};

/** What a piece has before its first packet. */
const maxFirstClusterBytes = 64;

/**
 * Cut points are between packets. Each piece drops as much at its start as the recording does, so its audio starts
 * with a packet.
 */
async function* pointsOf(window: SourceWindow, track: WebmTrack): AsyncGenerator<CutPoint[], void> {
  const spacing = pointSpacing / track.tickSeconds;
  let [clusterTime, bytes, nextAt] = [0, 0, Number.NEGATIVE_INFINITY];
  let previous: WebmBlock | undefined;
  let last: WebmBlock | undefined;
  let waiting: CutPoint | undefined;
  const pointAt = (offset: number, ticks: number): CutPoint =>
    toPoint({ offset, ticks, countedFrom: clusterTime }, bytes, track);
  for await (const parts of walkWebm(window, 0)) {
    const points: CutPoint[] = [];
    for (const part of parts) {
      if (part.kind === "cluster") {
        clusterTime = part.timestamp;
        bytes += maxFirstClusterBytes;
      }
      if (part.kind !== "block" || part.track !== track.number) continue;
      if (waiting) {
        points.push({ ...waiting, startsAt: pointAt(part.offset, part.timestamp).startsAt });
        waiting = undefined;
      }
      if (part.timestamp >= nextAt) {
        const point = pointAt(part.offset, part.timestamp);
        // Decoders give nothing for the first packet of Vorbis.
        if (last && track.codec === "vorbis") waiting = point;
        else points.push(point);
        nextAt = part.timestamp + spacing;
      }
      bytes += part.bytes.length;
      [previous, last] = [last, part];
    }
    yield points;
  }
  if (last) yield [pointAt(window.size, endOf(last, previous, track))];
}

const toPoint = (position: Position, bytes: number, track: WebmTrack): CutPoint => {
  const seconds = (position.ticks - Math.max(0, track.firstTimestamp)) * track.tickSeconds;
  const endsAt = Math.max(0, seconds - track.delaySeconds);
  return { position, bytes, startsAt: Math.max(0, seconds), endsAt };
};

/** How far a packet's time can be from its cluster's. */
const maxClusterTicks = 30_000;

/** The packets from a position up to a time; those of a piece are counted from zero. */
export async function* cutWebm(
  { window }: ContainerFile,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const track = await findWebmTrack(window);
  const base = from?.ticks ?? 0;
  const start = from ? base : Math.max(0, track.firstTimestamp);
  yield* headOf(await window.read(0, scanBytes), track, (until - start) * track.tickSeconds);

  const minClusterTicks = pointSpacing / track.tickSeconds;
  let clusterTime = from?.countedFrom ?? 0;
  let writtenTime: number | undefined;
  for await (const parts of walkWebm(window, from?.offset ?? 0, clusterTime)) {
    const remaining: Uint8Array[] = [];
    let isAtEnd = false;
    for (const part of parts) {
      if (part.kind === "cluster") {
        clusterTime = part.timestamp;
        // Some recordings have a cluster for each packet; a cut with longer heads would be larger than they are.
        if (clusterTime - base - (writtenTime ?? 0) >= minClusterTicks) writtenTime = undefined;
      }
      if (part.kind !== "block" || part.track !== track.number) continue;
      isAtEnd = part.timestamp >= until;
      if (isAtEnd) break;
      const time = part.timestamp - base;
      if (writtenTime === undefined || Math.abs(time - writtenTime) > maxClusterTicks) {
        writtenTime = from ? Math.max(0, time) : clusterTime;
        remaining.push(clusterHead(writtenTime));
      }
      remaining.push(withTime(part, time - writtenTime));
    }
    yield Buffer.concat(remaining);
    if (isAtEnd) return;
  }
}

const withTime = ({ bytes, timeOffset }: WebmBlock, time: number): Uint8Array => {
  const copy = Buffer.from(bytes);
  copy.writeInt16BE(Math.max(-maxClusterTicks, time), timeOffset);
  return copy;
};

/** What precedes the first cluster: the file type, the length, and the one track of the result. */
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
