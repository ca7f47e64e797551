import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import {
  byteAt,
  hasText,
  uint16LittleEndian,
  uint32BigEndian,
  uint32LittleEndian,
} from "../reading/bytes.ts";
import { maxPageBytes, type OggPage, parseOggPage } from "./ogg-pages.ts";

/** The audio stream in an Ogg file, as its first packet describes it. */
export interface OggStream extends OggStreamStart {
  /** Of all streams in the file. */
  readonly serials: ReadonlySet<number>;
  /** Where the pages end that start the streams. */
  readonly startsEnd: number;
}

interface OggStreamStart {
  readonly codec: "opus" | "vorbis" | "flac";
  readonly serial: number;
  /** In hertz. Granules, the units of positions, are samples. */
  readonly sampleRate: number;
  readonly channels: number;
  /** Granules at the start that are not played. */
  readonly preSkip: number;
  /** The maximum number of granules in one packet. */
  readonly maxPacketGranules: number;
}

/** A video file has two streams or three; thousands are an attack. */
const maxStreams = 8;

/** Finds the file's first audio stream. All streams start before any continues. @throws UnreadableAudioError */
export const findOggStream = async (window: SourceWindow): Promise<OggStream> => {
  const serials = new Set<number>();
  let found: OggStreamStart | undefined;
  let offset = 0;
  for (let count = 0; count < maxStreams; count += 1) {
    const page = parseOggPage(await window.read(offset, maxPageBytes), 0);
    if (!page?.isFirst) break;
    const stream = parseStream(page);
    if (stream && found) throw new UnreadableAudioError(severalRecordings);
    found ??= stream;
    serials.add(page.serial);
    offset += page.bytes.length;
  }
  if (found) {
    checkPlausible(found);
    return { ...found, serials, startsEnd: offset };
  }
  throw new UnreadableAudioError("The Ogg file contains no Opus, Vorbis or FLAC audio.");
};

/** Of several at the same time players choose one; a cut has only the first. */
export const severalRecordings = "The Ogg file contains several recordings; send each in a file of its own.";

/** Another recording starts where one is read. */
export class AnotherRecording extends UnreadableAudioError {
  constructor() {
    super(severalRecordings);
  }
}

const parseStream = ({ bytes, headerLength, serial }: OggPage): OggStreamStart | undefined => {
  const packet = bytes.subarray(headerLength);
  if (hasText(packet, 0, "OpusHead") && packet.length >= 19) {
    const [channels, preSkip] = [byteAt(packet, 9), uint16LittleEndian(packet, 10)];
    // Opus always decodes at 48 kHz; the rate in the header is only that of the original (RFC 7845, section 5.1).
    return { codec: "opus", serial, sampleRate: 48_000, channels, preSkip, maxPacketGranules: 5_760 };
  }
  if (hasText(packet, 0, "\x01vorbis") && packet.length >= 30) {
    const [channels, sampleRate] = [byteAt(packet, 11), uint32LittleEndian(packet, 12)];
    return { codec: "vorbis", serial, sampleRate, channels, preSkip: 0, maxPacketGranules: 8_192 };
  }
  if (hasText(packet, 0, "\x7fFLAC") && packet.length >= 51) {
    const sampleRate = uint32BigEndian(packet, 27) >>> 12;
    const channels = ((byteAt(packet, 29) >> 1) & 7) + 1;
    return { codec: "flac", serial, sampleRate, channels, preSkip: 0, maxPacketGranules: 65_535 };
  }
  return undefined;
};

const checkPlausible = ({ channels, sampleRate }: OggStreamStart): void => {
  if (channels < 1 || sampleRate < 1_000 || sampleRate > 768_000) {
    throw new UnreadableAudioError("The Ogg file is damaged: its header is implausible.");
  }
};
