import type { CodecSetup } from "../packets/packet-clock.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { asBuffer, byteAt, textAt, uint16BigEndian, uint32BigEndian } from "../reading/bytes.ts";
import { lacedFrames, xiphLacing } from "../webm/webm-lacing.ts";

export interface SampleDescription extends CodecSetup {
  /** The description as it is in the file, which contains all that a decoder needs. */
  readonly entry: Uint8Array;
}

/** Encodings that have a name of their own in MP4 and QuickTime. */
const codecs: ReadonlyMap<string, string> = new Map([
  ["Opus", "opus"],
  ["fLaC", "flac"],
  ["alac", "alac"],
  ["samr", "amr"],
  ["sawb", "amr-wb"],
  [".mp3", "mp3"],
  ["ac-3", "ac3"],
  ["ec-3", "eac3"],
  ["ulaw", "mulaw"],
  ["alaw", "alaw"],
  ...["sowt", "twos", "lpcm", "in24", "in32", "raw ", "ipcm"].map((type) => [type, "pcm"] as const),
  ...["fl32", "fl64", "fpcm"].map((type) => [type, "float"] as const),
]);

/** Encodings of MPEG-4's own entry, by their object type (ISO 14496-1, and registered ones). */
const objectTypes: ReadonlyMap<number, string> = new Map([
  [0x40, "aac"],
  [0x66, "aac"],
  [0x67, "aac"],
  [0x68, "aac"],
  [0x69, "mp3"],
  [0x6b, "mp3"],
  [0xdd, "vorbis"],
]);

const minEntryBytes = 36;

/**
 * Reads the first entry of a sample description box.
 * @throws UnreadableAudioError when the encoding is unknown, or the audio is encrypted
 */
export const parseSampleDescription = (content: Uint8Array): SampleDescription => {
  const size = uint32BigEndian(content, 8);
  const entry = content.subarray(8, 8 + size);
  if (entry.length < minEntryBytes || entry.length < size) {
    throw new UnreadableAudioError("The MP4 file is damaged: its audio has no description.");
  }
  const type = textAt(entry, 4, 4);
  if (type === "enca") throw new UnreadableAudioError("The MP4 file is encrypted.");
  const decoder = type === "mp4a" ? findDecoderConfiguration(entry) : undefined;
  const codec = decoder ? objectTypes.get(decoder.objectType) : codecs.get(type);
  if (!codec) throw new UnreadableAudioError("The MP4 file's audio is in an unknown encoding.");
  return {
    codec,
    entry,
    ...shapeOf(entry, codec === "aac" ? decoder?.specific : undefined),
    ...(codec === "vorbis" ? vorbisHeaders(decoder?.specific) : { configuration: decoder?.specific }),
    ...(configurationBoxes.has(codec) ? { configuration: configurationIn(entry, codec) } : {}),
    bytesPerSample: bytesPerSampleOf(type, codec, entry),
  };
};

/** The box with a decoder's configuration, and how much precedes it there. */
const configurationBoxes: ReadonlyMap<string, readonly [type: string, skipped: number]> = new Map([
  ["alac", ["alac", 8]],
  ["flac", ["dfLa", 12]],
]);

const configurationIn = (entry: Uint8Array, codec: string): Uint8Array | undefined => {
  const [type, skipped] = configurationBoxes.get(codec) ?? ["", 0];
  // QuickTime names the format in a box before it.
  const found = asBuffer(entry).lastIndexOf(type, undefined, "latin1");
  return found < minEntryBytes ? undefined : entry.subarray(found + skipped);
};

/** Three packets after their lengths of two bytes, as ffmpeg writes them; or as Matroska does. */
const vorbisHeaders = (
  specific: Uint8Array = new Uint8Array(0),
): Pick<CodecSetup, "configuration" | "setup"> => {
  const [configuration, _comments, setup] = lacedFrames(specific, xiphLacing);
  return { configuration, setup };
};

/** Of encodings whose name says it; for the others it is in the entry, or in the box of their configuration. */
const sampleBytes: ReadonlyMap<string, number> = new Map([
  ["ulaw", 1],
  ["alaw", 1],
  ["in24", 3],
  ["in32", 4],
  ["fl32", 4],
  ["fl64", 8],
]);

const bytesPerSampleOf = (type: string, codec: string, entry: Uint8Array): number => {
  const known = sampleBytes.get(type);
  if (known || (codec !== "pcm" && codec !== "float")) return known ?? 0;
  const box = asBuffer(entry).indexOf("pcmC", 0, "latin1");
  const isSecond = uint16BigEndian(entry, 16) === 2;
  const stated = isSecond ? uint32BigEndian(entry, 56) : uint16BigEndian(entry, 26);
  const bits = box < 0 ? stated : byteAt(entry, box + 9);
  return Math.max(1, Math.min(8, Math.ceil(bits / 8)));
};

/** The second revision of QuickTime's entry has larger numbers at its end. */
const shapeOf = (
  entry: Uint8Array,
  audioSpecific: Uint8Array | undefined,
): { readonly sampleRate: number; readonly channels: number } => {
  if (uint16BigEndian(entry, 16) === 2 && entry.length >= 52) {
    return { sampleRate: Math.round(asBuffer(entry).readDoubleBE(40)), channels: uint32BigEndian(entry, 48) };
  }
  // The entry says 2 for every AAC; the decoder's configuration is right.
  const configuration = audioSpecific ? (byteAt(audioSpecific, 1) >> 3) & 15 : 0;
  const channels = configuration === 7 ? 8 : configuration;
  return { sampleRate: uint32BigEndian(entry, 32) >>> 16, channels: channels || uint16BigEndian(entry, 24) };
};

interface DecoderConfiguration {
  readonly objectType: number;
  /** What the codec itself wants to know. */
  readonly specific: Uint8Array;
}

const elementaryStreamTag = 3;
const decoderTag = 4;
const specificTag = 5;

/** Reads the box `esds`, which QuickTime puts inside another. */
const findDecoderConfiguration = (entry: Uint8Array): DecoderConfiguration | undefined => {
  const box = asBuffer(entry).indexOf("esds", 0, "latin1");
  return box < 0 ? undefined : decoderConfigurationIn(entry.subarray(box + 8));
};

/** The same of the descriptor alone. */
export const decoderConfigurationIn = (descriptor: Uint8Array): DecoderConfiguration | undefined => {
  const stream = descriptorIn(descriptor, elementaryStreamTag);
  if (!stream) return undefined;
  const flags = byteAt(stream, 2);
  const urlLength = flags & 0x40 ? 1 + byteAt(stream, 3 + (flags & 0x80 ? 2 : 0)) : 0;
  const decoderStart = 3 + (flags & 0x80 ? 2 : 0) + urlLength + (flags & 0x20 ? 2 : 0);
  const decoder = descriptorIn(stream.subarray(decoderStart), decoderTag);
  if (!decoder) return undefined;
  return {
    objectType: byteAt(decoder, 0),
    specific: descriptorIn(decoder.subarray(13), specificTag) ?? new Uint8Array(0),
  };
};

/** The content of the descriptor that these bytes start with; its length takes up to four bytes, seven bits each. */
const descriptorIn = (bytes: Uint8Array, tag: number): Uint8Array | undefined => {
  if (bytes[0] !== tag) return undefined;
  let length = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = byteAt(bytes, index);
    length = length * 128 + (byte & 127);
    if (byte < 128) return bytes.subarray(index + 1, index + 1 + length);
  }
  return undefined;
};
