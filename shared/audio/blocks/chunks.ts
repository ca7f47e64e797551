import type { SourceWindow } from "../reading/audio-source.ts";

/** How a container writes the head of a chunk. */
export interface ChunkShape {
  readonly headBytes: number;
  /** Chunks start at multiples of this, counted from the first. */
  readonly alignment: number;
  /** @returns the length of the content; infinite when it ends with the file. */
  parse(head: Uint8Array): { readonly id: string; readonly length: number };
}

export interface Chunk {
  /** Of the content, in the file. */
  readonly start: number;
  readonly length: number;
}

export const maxChunks = 1_000;

/** The first chunk of each wanted kind, from an offset on. */
export const findChunks = async (
  window: SourceWindow,
  first: number,
  { headBytes, alignment, parse }: ChunkShape,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, Chunk>> => {
  const found = new Map<string, Chunk>();
  let offset = first;
  for (let count = 0; count < maxChunks && found.size < wanted.length; count += 1) {
    const head = await window.read(offset, headBytes);
    if (head.length < headBytes) break;
    const { id, length } = parse(head);
    const start = offset + headBytes;
    if (wanted.includes(id) && !found.has(id)) found.set(id, { start, length });
    offset = start + Math.ceil(Math.max(0, length) / alignment) * alignment;
  }
  return found;
};
