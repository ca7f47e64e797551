import { byteAt, uint32BigEndian } from "../bytes.ts";

/** Boxes with times have a second version, in which they are 64 bits long. */
export const isLong = (content: Uint8Array): boolean => byteAt(content, 0) === 1;

/** A piece of a track that is played. */
export interface Edit {
  /** In ticks of the track. */
  readonly start: number;
  /** In ticks of the whole film; 0 for all. */
  readonly duration: number;
}

/**
 * What an edit list says of where playing starts and for how long. A pause before it is not counted, because
 * no sound is in it; of a list with several pieces only the start is taken.
 */
export const parseEditList = (content: Uint8Array): Edit => {
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
