import * as z from "zod";

/** A place in a recording at which a packet starts, and what it takes to read on from there. */
const positionSchema = z.object({
  /** Of the packet in the file; of a fragment of MP4 that lists it. */
  offset: z.int().nonnegative(),
  /** The packet's time, in units that the container defines. */
  ticks: z.number(),
  /** What times are counted on from here: a cluster's time in WebM; in MP4 the time of what `offset` or `index` say. */
  countedFrom: z.number().optional(),
  /** Where in the tables of an MP4 file's index, as numbers of entries. */
  index: z
    .object({
      chunk: z.int(),
      /** How many samples of that chunk are behind. */
      chunkTaken: z.int(),
      chunkEntry: z.int(),
      sample: z.int(),
      durationEntry: z.int(),
      /** How many samples of that entry are behind. */
      durationTaken: z.int(),
    })
    .optional(),
});

export type Position = z.infer<typeof positionSchema>;

/** What is cut out of a file: from a position, or from its start, up to the packet at this time. */
const cutSchema = z.object({ from: positionSchema.optional(), until: z.number() });

export type Cut = z.infer<typeof cutSchema>;

/** A part of a recording that is a recording itself, as it is kept until it is cut. */
export const pieceSchema = z.object({
  /** 0 for the first. */
  index: z.int().nonnegative(),
  /** Where in the recording its sound starts, in seconds; what it shares with the piece before it included. */
  start: z.number(),
  /** Where in the recording its sound ends, in seconds. */
  end: z.number(),
  /** It is no larger. */
  bytes: z.int().nonnegative(),
  mediaType: z.string(),
  /** Without the dot. */
  fileExtension: z.string(),
  /** Left out when the piece is the file as it is. */
  cut: cutSchema.optional(),
});

export type Piece = z.infer<typeof pieceSchema>;

/** A place at which a piece may start or end. */
export interface CutPoint {
  readonly position: Position;
  /** Where the sound of a piece that is cut from here on starts, in seconds of the recording. */
  readonly startsAt: number;
  /** Where the sound of a piece that is cut up to here ends. */
  readonly endsAt: number;
  /** How many bytes the packets before it take. */
  readonly bytes: number;
}

/** All places at which a recording may be cut. */
export interface CutPoints {
  /** What is written before the packets of each piece; at most. */
  readonly headBytes: number;
  /**
   * In the order of time, each group to be gone through before the next one is asked for. The first one is the start of the
   * recording, the last one its end.
   */
  readonly points: AsyncIterable<Iterable<CutPoint>>;
}

/** How far apart the places need to be, in seconds: many fewer than packets. */
export const pointSpacing = 0.2;
