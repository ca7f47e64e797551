import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { asBuffer, uint16BigEndian } from "../reading/bytes.ts";
import {
  childElements,
  maxElementHeadBytes,
  parseElement,
  parseVariableInteger,
  unsignedValue,
} from "./ebml.ts";

/** The elements that matter here, by their ids in Matroska's schema (RFC 9559). */
export const webmIds = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  codecDelay: 0x56aa,
  defaultDuration: 0x23e383,
  contentEncodings: 0x6d80,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  bitDepth: 0x6264,
  channels: 0x9f,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
} as const;

/** A packet of a track, with its time in the file's ticks. */
export interface WebmBlock {
  readonly kind: "block";
  readonly track: number;
  readonly timestamp: number;
  /** In ticks, when the file says it. */
  readonly duration: number | undefined;
  /** The element as it is in the file. */
  readonly bytes: Uint8Array;
  /** Offset of the element in the file. */
  readonly offset: number;
  /** The offset of the time in the element: two bytes, relative to the cluster's. */
  readonly timeOffset: number;
  /** Where its packets end in the element. */
  readonly end: number;
}

type WebmPart =
  | { readonly kind: "info" | "tracks"; readonly content: Uint8Array }
  /** Times that follow are counted from this one. */
  | { readonly kind: "cluster"; readonly timestamp: number; readonly offset: number }
  | WebmBlock;

const entered: ReadonlySet<number> = new Set([webmIds.segment, webmIds.cluster]);
const read: ReadonlySet<number> = new Set([
  webmIds.info,
  webmIds.tracks,
  webmIds.timestamp,
  webmIds.simpleBlock,
  webmIds.blockGroup,
]);

/**
 * Walks a WebM file, or the rest of one, a window at a time, as a flat list: ids differ from level to level, so it
 * does not matter where an element of unknown size ends, as browsers' recorders write them. After damage the walk
 * continues at the next cluster. The parts of a window are returned together, to be used before the next call: there
 * can be millions of packets, too many to await each.
 */
export async function* walkWebm(
  window: SourceWindow,
  start: number,
  clusterTime = 0,
): AsyncGenerator<Iterable<WebmPart>, void> {
  const walk: Walk = { position: start, offset: 0, clusterTime };
  for (let position = start; position < window.size; position += walk.offset) {
    walk.offset = 0;
    walk.position = position;
    yield partsIn(await window.read(position, scanBytes), window.size - position, walk);
  }
}

interface Walk {
  /** Of the current piece in the file. */
  position: number;
  /** In the current piece. */
  offset: number;
  clusterTime: number;
}

/** @param rest how many bytes the file has from here on */
function* partsIn(bytes: Uint8Array, rest: number, walk: Walk): Generator<WebmPart, void> {
  const isLast = bytes.length >= rest;
  while (walk.offset < bytes.length) {
    const { offset } = walk;
    if (!isLast && offset > 0 && offset + maxElementHeadBytes > bytes.length) return;
    const element = parseElement(bytes, offset);
    if (element && entered.has(element.id)) {
      walk.offset = element.start;
      continue;
    }
    if (element?.end === undefined || element.end > rest) {
      walk.offset = nextCluster(bytes, offset + 1);
      continue;
    }
    const isWanted = read.has(element.id) && element.end - offset <= scanBytes;
    if (isWanted && element.end > bytes.length) return;
    walk.offset = element.end;
    if (!isWanted) continue;
    const position = { bytes: bytes.subarray(offset, element.end), offset: walk.position + offset };
    const part = toPart(element.id, position, element.start - offset, walk.clusterTime);
    if (part?.kind === "cluster") walk.clusterTime = part.timestamp;
    if (part) yield part;
  }
}

export const clusterId = Buffer.from("\x1f\x43\xb6\x75", "latin1");

const nextCluster = (bytes: Uint8Array, offset: number): number => {
  const found = asBuffer(bytes).indexOf(clusterId, offset);
  return found < 0 ? bytes.length : found;
};

/** Offsets of what looks like a cluster, from the last one backwards. */
export function* clustersBackwards(bytes: Uint8Array): Generator<number, void> {
  const buffer = asBuffer(bytes);
  let offset = buffer.lastIndexOf(clusterId);
  while (offset >= 0) {
    yield offset;
    offset = offset === 0 ? -1 : buffer.lastIndexOf(clusterId, offset - 1);
  }
}

/** An element, and where it is in the file. */
interface Position {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

const toPart = (id: number, position: Position, start: number, clusterTime: number): WebmPart | undefined => {
  const content = position.bytes.subarray(start);
  if (id === webmIds.info) return { kind: "info", content };
  if (id === webmIds.tracks) return { kind: "tracks", content };
  if (id === webmIds.timestamp) {
    const timestamp = unsignedValue(content);
    return Number.isSafeInteger(timestamp)
      ? { kind: "cluster", timestamp, offset: position.offset }
      : undefined;
  }
  if (id === webmIds.simpleBlock) return toBlock(position, content, clusterTime, undefined);

  let block: Uint8Array | undefined;
  let duration: number | undefined;
  for (const child of childElements(content)) {
    if (child.id === webmIds.block) block = child.content;
    if (child.id === webmIds.blockDuration) duration = unsignedValue(child.content);
  }
  return block && toBlock(position, block, clusterTime, duration);
};

const toBlock = (
  { bytes, offset }: Position,
  content: Uint8Array,
  clusterTime: number,
  duration: number | undefined,
): WebmBlock | undefined => {
  const track = parseVariableInteger(content, 0);
  if (track?.value === undefined || content.length < track.end + 3) return undefined;
  const relative = (uint16BigEndian(content, track.end) << 16) >> 16;
  const timestamp = clusterTime + relative;
  const start = content.byteOffset - bytes.byteOffset;
  const [timeOffset, end] = [start + track.end, start + content.length];
  return { kind: "block", track: track.value, timestamp, duration, bytes, offset, timeOffset, end };
};
