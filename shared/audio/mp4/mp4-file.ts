import { NotAudioError, UnreadableAudioError } from "../reading/audio-errors.ts";
import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { byteAt, textAt, uint32BigEndian } from "../reading/bytes.ts";
import { type Box, boxesIn, childBoxes, contentOf } from "./boxes.ts";
import { parseSampleDescription, type SampleDescription } from "./sample-description.ts";

/** An MP4 file, with its first audio track. */
export interface Mp4File {
  /** The file type box as it is in the file, header included. */
  readonly typeBox: Uint8Array;
  readonly track: Mp4Track;
  /** Where fragments may start. */
  readonly indexEnd: number;
  readonly defaults: FragmentDefaults;
  /** Its other audio tracks, of which a player may choose one. */
  readonly others: readonly Mp4AudioTrack[];
}

export interface Mp4AudioTrack {
  readonly track: Mp4Track;
  readonly defaults: FragmentDefaults;
}

export interface Mp4Track {
  readonly id: number;
  /** Ticks of the track's clock in a second. */
  readonly timescale: number;
  readonly description: SampleDescription;
  /** Where playing starts in the track's time, in ticks: encoders start a track a little before its audio. */
  readonly playFrom: number;
  /** How long it plays, in ticks; undefined for the whole track. */
  readonly playFor: number | undefined;
  /** The boxes of the track's index, by type. */
  readonly tables: ReadonlyMap<string, Box>;
}

/** Defaults for the samples of fragments. */
export interface FragmentDefaults {
  readonly duration: number;
  readonly size: number;
}

/** Honest ones list some compatible types, in less than a hundred bytes. */
const maxTypeBoxBytes = 1_024;

/**
 * Finds the index of an MP4 file and its first audio track. @throws UnreadableAudioError
 * @throws NotAudioError when there are only tracks of other kinds
 */
export const openMp4 = async (window: SourceWindow): Promise<Mp4File> => {
  let typeBox: Uint8Array = new Uint8Array(0);
  for await (const box of boxesIn(window, 0, window.size)) {
    if (box.type === "ftyp" && box.end - box.offset <= maxTypeBoxBytes) {
      typeBox = await window.read(box.offset, box.end - box.offset);
    }
    if (box.type !== "moov" || !box.isWhole) continue;
    // At once, because it is read here and there; the index of an hour fits into the window.
    await window.read(box.offset, Math.min(scanBytes, box.end - box.offset));
    const tracks = await readIndex(window, box);
    return {
      typeBox,
      indexEnd: box.end,
      ...((await hasFragments(window, box.end)) ? withoutEnds(tracks) : tracks),
    };
  }
  throw new UnreadableAudioError("The MP4 file is cut off or damaged: it has no index.");
};

const hasFragments = async (window: SourceWindow, start: number): Promise<boolean> => {
  for await (const box of boxesIn(window, start, window.size)) if (box.type === "moof") return true;
  return false;
};

/** An edit list is written before the fragments: what it says of lengths is no bound for them, and players ignore it. */
const withoutEnds = ({ others, ...first }: Mp4AudioTracks): Mp4AudioTracks => ({
  ...withoutEnd(first),
  others: others.map(withoutEnd),
});

const withoutEnd = ({ track, defaults }: Mp4AudioTrack): Mp4AudioTrack => ({
  // A start is what encoders put before the audio, far below a second.
  track: { ...track, playFrom: Math.min(track.playFrom, track.timescale), playFor: undefined },
  defaults,
});

/** A film has a few languages. */
const maxAudioTracks = 8;

const readIndex = async (window: SourceWindow, index: Box): Promise<Mp4AudioTracks> => {
  const children = await childBoxes(window, index);
  const movieHeader = await contentOf(window, children.get("mvhd"), 32);
  const found: Mp4AudioTrack[] = [];
  let unreadable: UnreadableAudioError | undefined;
  let tracks = 0;
  for await (const box of boxesIn(window, index.start, index.end)) {
    if (box.type !== "trak" || found.length === maxAudioTracks) continue;
    tracks += 1;
    const media = await audioIn(window, box);
    if (!media) continue;
    try {
      const track = await readTrack(window, box, media, timescaleOf(movieHeader));
      found.push({ track, defaults: await readDefaults(window, children.get("mvex"), track.id) });
    } catch (error) {
      // Players choose a track that they know.
      if (!(error instanceof UnreadableAudioError)) throw error;
      unreadable ??= error;
    }
  }
  const [first, ...others] = found;
  if (first) return { ...first, others };
  if (unreadable) throw unreadable;
  if (tracks > 0) throw new NotAudioError({ mediaType: "video/mp4", name: "a video without audio" });
  throw new UnreadableAudioError("The MP4 file is damaged: its index describes no track.");
};

type Mp4AudioTracks = Pick<Mp4File, "track" | "defaults" | "others">;

/** The parts of a track's description, if it is an audio track. */
const audioIn = async (window: SourceWindow, track: Box): Promise<ReadonlyMap<string, Box> | undefined> => {
  const media = await childBoxes(window, (await childBoxes(window, track)).get("mdia"));
  const handler = await contentOf(window, media.get("hdlr"), 12);
  return textAt(handler, 8, 4) === "soun" ? media : undefined;
};

/** Enough for the configuration of any decoder. */
const maxDescriptionBytes = 1 << 16;

const readTrack = async (
  window: SourceWindow,
  box: Box,
  media: ReadonlyMap<string, Box>,
  movieTimescale: number,
): Promise<Mp4Track> => {
  const parts = await childBoxes(window, box);
  const trackHeader = await contentOf(window, parts.get("tkhd"), 32);
  const timescale = timescaleOf(await contentOf(window, media.get("mdhd"), 32));
  const tables = await childBoxes(window, (await childBoxes(window, media.get("minf"))).get("stbl"));
  const description = parseSampleDescription(
    await contentOf(window, tables.get("stsd"), maxDescriptionBytes),
  );
  if (timescale === 0) throw new UnreadableAudioError("The MP4 file is damaged: its timescale is zero.");

  const edits = (await childBoxes(window, parts.get("edts"))).get("elst");
  const edit = parseEditList(await contentOf(window, edits, 1_024));
  const playFor = movieTimescale > 0 ? Math.round((edit.duration * timescale) / movieTimescale) : 0;
  return {
    id: uint32BigEndian(trackHeader, isLong(trackHeader) ? 20 : 12),
    timescale,
    description,
    playFrom: edit.start,
    playFor: playFor > 0 ? playFor : undefined,
    tables,
  };
};

const timescaleOf = (header: Uint8Array): number => uint32BigEndian(header, isLong(header) ? 20 : 12);

const readDefaults = async (
  window: SourceWindow,
  extension: Box | undefined,
  id: number,
): Promise<FragmentDefaults> => {
  if (extension) {
    for await (const box of boxesIn(window, extension.start, extension.end)) {
      const content = box.type === "trex" ? await contentOf(window, box, 24) : new Uint8Array(0);
      if (content.length > 0 && uint32BigEndian(content, 4) === id) {
        return { duration: uint32BigEndian(content, 12), size: uint32BigEndian(content, 16) };
      }
    }
  }
  return { duration: 0, size: 0 };
};

/** Boxes with times have a second version, in which they are 64 bits long. */
const isLong = (content: Uint8Array): boolean => byteAt(content, 0) === 1;

/** A piece of a track that is played. */
interface Edit {
  /** In ticks of the track. */
  readonly start: number;
  /** In ticks of the movie; 0 for all. */
  readonly duration: number;
}

/**
 * Where playing starts and for how long, by an edit list. A pause before it contains no audio and is not counted; of
 * several edits only the start is used.
 */
const parseEditList = (content: Uint8Array): Edit => {
  const entryBytes = isLong(content) ? 20 : 12;
  const timeBytes = isLong(content) ? 8 : 4;
  const edits: Edit[] = [];
  for (let offset = 8; offset + entryBytes <= content.length; offset += entryBytes) {
    const duration = unsigned(content, offset, timeBytes);
    const start = unsigned(content, offset + timeBytes, timeBytes);
    const isPause = byteAt(content, offset + timeBytes) >= 0x80;
    if (!isPause) edits.push({ start, duration });
  }
  const first = edits[0] ?? { start: 0, duration: 0 };
  return edits.length > 1 ? { ...first, duration: 0 } : first;
};

const unsigned = (bytes: Uint8Array, offset: number, length: number): number =>
  length === 4
    ? uint32BigEndian(bytes, offset)
    : uint32BigEndian(bytes, offset) * 2 ** 32 + uint32BigEndian(bytes, offset + 4);
