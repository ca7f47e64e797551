/** What a frame's header says: the frame is a packet of compressed sound with a length of its own. */
export interface Frame {
  /** In bytes, header included. */
  readonly length: number;
  /** How many samples of each channel it decodes to. */
  readonly samples: number;
  readonly sampleRate: number;
  readonly channels: number;
  /** What stays the same from frame to frame within one stream. */
  readonly signature: number;
}

/** A format that is nothing but one frame after the other. */
export interface FrameFormat {
  /** No frame is longer, in bytes. */
  readonly longestFrame: number;
  /** The header at this place, or undefined when there is none. */
  parse(bytes: Uint8Array, offset: number): Frame | undefined;
}
