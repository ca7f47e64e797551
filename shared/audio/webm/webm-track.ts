import type { CodecSetup } from "../packets/packet-clock.ts";
import { NotAudioError, UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { textAt } from "../reading/bytes.ts";
import { childElements, floatValue, unsignedValue } from "./ebml.ts";
import { walkWebm, webmIds } from "./webm-elements.ts";
import { lacedFrames, xiphLacing } from "./webm-lacing.ts";

export interface WebmTrack extends CodecSetup {
  readonly number: number;
  /** Seconds at the start that players leave out. */
  readonly delaySeconds: number;
  /** How long a packet plays, in seconds, when the file says it. */
  readonly packetSeconds: number | undefined;
  /** How long a tick of the file's clock is, in seconds. */
  readonly tickSeconds: number;
  /** Time of its first packet, in ticks. */
  readonly firstTimestamp: number;
  /** The track's description as it is in the file. */
  readonly entry: Uint8Array;
  /** The file's other audio tracks, of which a player may choose one. */
  readonly others: readonly TrackDescription[];
}

const nanosecond = 1e-9;
/** A millisecond, in nanoseconds. */
const defaultTimestampScale = 1_000_000;
const maxTick = 1_000_000_000;

/**
 * Finds the first audio track and its first packet. @throws NotAudioError when it is a video without audio
 * @throws UnreadableAudioError when there is no track, no packet, or an encoding that is unknown or encrypted
 */
export const findWebmTrack = async (window: SourceWindow): Promise<WebmTrack> => {
  let timestampScale = defaultTimestampScale;
  let description: AudioTracks | undefined;
  const nothing = new UnreadableAudioError("The WebM file is damaged or cut off: it contains no audio.");
  for await (const parts of walkWebm(window, 0)) {
    for (const part of parts) {
      if (part.kind === "info") timestampScale = findTimestampScale(part.content);
      if (part.kind === "tracks") description = describeAudioTracks(part.content);
      if (part.kind === "cluster" && !description) throw nothing;
      if (part.kind === "block" && part.track === description?.number) {
        return { ...description, tickSeconds: timestampScale * nanosecond, firstTimestamp: part.timestamp };
      }
    }
  }
  throw nothing;
};

type AudioTracks = Omit<WebmTrack, "tickSeconds" | "firstTimestamp">;
type TrackDescription = Omit<AudioTracks, "others">;

const findNumber = (content: Uint8Array, id: number): number | undefined => {
  for (const child of childElements(content)) if (child.id === id) return unsignedValue(child.content);
  return undefined;
};

const findTimestampScale = (info: Uint8Array): number => {
  const scale = findNumber(info, webmIds.timestampScale) ?? defaultTimestampScale;
  if (scale > 0 && scale <= maxTick) return scale;
  throw new UnreadableAudioError("The WebM file is damaged: its clock is implausible.");
};

const audioType = 2;

const describeAudioTracks = (tracks: Uint8Array): AudioTracks => {
  const entries = [...childElements(tracks)].filter(({ id }) => id === webmIds.trackEntry);
  const audio = entries.filter(({ content }) => findNumber(content, webmIds.trackType) === audioType);
  // Players choose a track that they know.
  const [first, ...others] = audio
    .map(({ content }) => describeTrack(content))
    .filter((track) => track !== undefined);
  if (first) return { ...first, others };
  if (audio.length > 0) {
    throw new UnreadableAudioError("The WebM file's audio is encrypted or in an unknown encoding.");
  }
  if (entries.length > 0) throw new NotAudioError({ mediaType: "video/webm", name: "a video without audio" });
  throw new UnreadableAudioError("The WebM file is damaged: it describes no track.");
};

/** Undefined for an encoding that is unknown or encrypted. */
const describeTrack = (entry: Uint8Array): TrackDescription | undefined => {
  const fields = new Map([...childElements(entry)].map(({ id, content }) => [id, content] as const));
  const audio = new Map(
    [...childElements(fields.get(webmIds.audio) ?? new Uint8Array(0))].map(
      ({ id, content }) => [id, content] as const,
    ),
  );
  const number = (id: number, otherwise: number): number => {
    const content = fields.get(id);
    return content ? unsignedValue(content) : otherwise;
  };
  const codec = codecOf(textAt(fields.get(webmIds.codecId) ?? new Uint8Array(0), 0, 32));
  if (!codec || fields.has(webmIds.contentEncodings)) return undefined;
  // Defaults of Matroska's schema.
  const frequency = audio.get(webmIds.samplingFrequency);
  const channels = audio.get(webmIds.channels);
  return {
    number: number(webmIds.trackNumber, 1),
    codec,
    ...configurationOf(codec, fields.get(webmIds.codecPrivate) ?? new Uint8Array(0)),
    bytesPerSample: bytesPerSampleOf(codec, unsignedValue(audio.get(webmIds.bitDepth) ?? new Uint8Array(0))),
    sampleRate: (frequency && floatValue(frequency)) || 8_000,
    channels: (channels && unsignedValue(channels)) || 1,
    delaySeconds: number(webmIds.codecDelay, 0) * nanosecond,
    packetSeconds: number(webmIds.defaultDuration, 0) * nanosecond || undefined,
    entry,
  };
};

/** Matroska's defaults are those of its writers: 16 bits, or floats of 32. */
const bytesPerSampleOf = (codec: string, bits: number): number => {
  if (codec === "float") return bits === 64 ? 8 : 4;
  return codec === "pcm" ? Math.max(1, (bits || 16) / 8) : 0;
};

/** The configuration of a decoder: for FLAC without the start of its file, for Vorbis three packets after their lengths. */
const configurationOf = (codec: string, content: Uint8Array): Pick<CodecSetup, "configuration" | "setup"> => {
  if (codec === "flac") return { configuration: content.subarray(8) };
  if (codec !== "vorbis") return { configuration: content };
  const [configuration, _comments, setup] = lacedFrames(content, xiphLacing);
  return { configuration, setup };
};

const codecs = [
  ["A_OPUS", "opus"],
  ["A_VORBIS", "vorbis"],
  ["A_AAC", "aac"],
  ["A_MPEG/L3", "mp3"],
  ["A_FLAC", "flac"],
  ["A_PCM/INT", "pcm"],
  ["A_PCM/FLOAT", "float"],
] as const;

const codecOf = (codecId: string): string | undefined =>
  codecs.find(([prefix]) => codecId.startsWith(prefix))?.[1];
