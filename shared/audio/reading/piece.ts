import * as z from "zod";

/** A position in a recording at which a packet starts, and what is needed to read on from there. */
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

/** A part of a recording that is a recording itself, as it is stored until it is cut. */
export const pieceSchema = z.object({
  /** 0 for the first. */
  index: z.int().nonnegative(),
  /** Where in the recording its audio starts, in seconds, including what it shares with the piece before it. */
  start: z.number(),
  /** Where in the recording its audio ends, in seconds. */
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

/** A position at which a piece may start or end. */
export interface CutPoint {
  readonly position: Position;
  /** Where the audio of a piece starts that is cut from here on, in seconds of the recording. */
  readonly startsAt: number;
  /** Where the audio of a piece ends that is cut up to here. */
  readonly endsAt: number;
  /** How many bytes the packets before it take. */
  readonly bytes: number;
}

/** All positions at which a recording may be cut. */
export interface CutPoints {
  /** What is written before the packets of each piece; at most. */
  readonly headBytes: number;
  /**
   * In order of time, each group to be used before the next call. The first one is the start of the recording, the
   * last one its end.
   */
  readonly points: AsyncIterable<Iterable<CutPoint>>;
}

/** The minimum distance of the positions, in seconds: far fewer than packets. */
export const pointSpacing = 0.2;
