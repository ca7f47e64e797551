import { byteAt } from "../reading/bytes.ts";
import { parseVariableInteger } from "./ebml.ts";

export const xiphLacing = 1;
const fixedLacing = 2;
const ebmlLacing = 3;

/** The packets of a block that holds several, after their number and their lengths (RFC 9559, section 10.3). */
export const lacedFrames = (data: Uint8Array, lacing: number): Uint8Array[] => {
  if (lacing === 0) return [data];
  const count = byteAt(data, 0) + 1;
  const { sizes, end } = lacing === fixedLacing ? { sizes: [], end: 1 } : sizesIn(data, lacing, count - 1);
  const fixedSize = lacing === fixedLacing ? Math.floor((data.length - 1) / count) : undefined;
  const frames: Uint8Array[] = [];
  let offset = end;
  for (let index = 0; index < count; index += 1) {
    // The last one takes the rest.
    const size = fixedSize ?? sizes[index] ?? data.length - offset;
    frames.push(data.subarray(offset, offset + Math.max(0, size)));
    offset += Math.max(0, size);
  }
  return frames;
};

interface LaceSizes {
  readonly sizes: readonly number[];
  /** The offset of the first packet. */
  readonly end: number;
}

const sizesIn = (data: Uint8Array, lacing: number, count: number): LaceSizes => {
  const sizes: number[] = [];
  let offset = 1;
  while (sizes.length < count && offset < data.length) {
    if (lacing === ebmlLacing) {
      const size = parseVariableInteger(data, offset);
      if (size?.value === undefined) break;
      // All but the first are differences, with half of their range below zero.
      const middle = 2 ** (7 * (size.end - offset) - 1) - 1;
      sizes.push(sizes.length === 0 ? size.value : (sizes.at(-1) ?? 0) + size.value - middle);
      offset = size.end;
    } else {
      let size = 0;
      for (; byteAt(data, offset) === 255; offset += 1) size += 255;
      sizes.push(size + byteAt(data, offset));
      offset += 1;
    }
  }
  return { sizes, end: offset };
};
