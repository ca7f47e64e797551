import * as z from "zod";

/** A position in a recording at which a packet starts, and what is needed to read on from there. */
const positionSchema = z.object({
  /** Of the packet in the file; of a fragment of MP4 that lists it. */
  offset: z.int().nonnegative(),
  /** The packet's time, in units that the container defines. */
  ticks: z.number(),
  /** From when times are counted here: a cluster's time in WebM; in MP4 the time of `offset` or `index`; in Ogg that of `link`. */
  countedFrom: z.number().optional(),
  /** Where in an Ogg file the recording starts that it is in, of several that follow each other. */
  link: z.int().nonnegative().optional(),
  /** A position in the tables of an MP4 file's index, as numbers of entries. */
  index: z
    .object({
      chunk: z.int(),
      /** How many samples of that chunk precede it. */
      chunkTaken: z.int(),
      chunkEntry: z.int(),
      sample: z.int(),
      durationEntry: z.int(),
      /** How many samples of that entry precede it. */
      durationTaken: z.int(),
    })
    .optional(),
});

export type Position = z.infer<typeof positionSchema>;

/** A range of a file: from a position, or its start, up to the packet at a time. */
const cutSchema = z.object({ from: positionSchema.optional(), until: z.number() });

export type Cut = z.infer<typeof cutSchema>;

/** A part of a recording that becomes a file of its own, as it is stored until it is cut. */
export const pieceSchema = z.object({
  /** 0 for the first. */
  index: z.int().nonnegative(),
  /** Where in the recording its audio starts, in seconds, including what it shares with the piece before it. */
  start: z.number(),
  /** Where in the recording its audio ends, in seconds. */
  end: z.number(),
  /** An upper bound. */
  bytes: z.int().nonnegative(),
  mediaType: z.string(),
  /** Without the dot. */
  fileExtension: z.string(),
  /** Absent when the piece is the whole file. */
  cut: cutSchema.optional(),
});

export type Piece = z.infer<typeof pieceSchema>;

/** A position at which a piece may start or end. */
export interface CutPoint {
  readonly position: Position;
  /** Where in the recording a piece that is cut from here starts to play, in seconds. */
  readonly startsAt: number;
  /** Where in the recording a piece that is cut up to here stops, in seconds. */
  readonly endsAt: number;
  /** How many bytes the packets before it take. */
  readonly bytes: number;
}

/** All positions at which a recording may be cut. */
export interface CutPoints {
  /** The maximum size of what precedes the packets of each piece. */
  readonly headBytes: number;
  /** In order of time, each group to be used before the next call; from the recording's start to its end. */
  readonly points: AsyncIterable<Iterable<CutPoint>>;
}

/** The minimum distance of the positions, in seconds: far fewer than packets. */
export const pointSpacing = 0.2;
