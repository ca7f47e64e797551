import { byteAt, uint32LittleEndian } from "../reading/bytes.ts";

/**
 * Two neighbouring blocks of Vorbis overlap by half (Vorbis I, section 1.3.2). Its headers say how long short and long
 * blocks are, and which of its modes are long; a packet starts with the number of its mode.
 */
export const vorbisClock = (
  identification: Uint8Array,
  setup: Uint8Array = new Uint8Array(0),
): ((packet: Uint8Array) => number) => {
  const sampleRate = uint32LittleEndian(identification, 12);
  const sizes = byteAt(identification, 28);
  const [short, long] = [1 << (sizes & 15), 1 << (sizes >> 4)];
  const modes = isLongByMode(setup);
  const modeBits = 32 - Math.clz32(Math.max(0, modes.length - 1));
  let previous: number | undefined;
  return (packet) => {
    const first = byteAt(packet, 0);
    const isHeader = (first & 1) === 1;
    if (packet.length === 0 || isHeader || sampleRate === 0) return 0;
    // Without modes, which decoders refuse, all are long.
    const size = modes[(first >> 1) & ((1 << modeBits) - 1)] === false ? short : long;
    const samples = previous === undefined ? 0 : (previous + size) / 4;
    previous = size;
    return samples / sampleRate;
  };
};

const modeBits = 41;
const countBits = 6;
const maxModes = 64;
const maxMapping = 63;

/**
 * The modes are the last thing in the setup header, before a bit that is set, and after their number: so they are
 * found from its end, without the codebooks. A mode is a flag, two numbers that are zero, and that of a mapping.
 */
const isLongByMode = (setup: Uint8Array): readonly boolean[] => {
  let end = setup.length * 8 - 1;
  while (end >= 0 && bitsAt(setup, end, 1) === 0) end -= 1;
  const modes: boolean[] = [];
  let found: readonly boolean[] = [];
  for (let at = end - modeBits; at >= countBits && modes.length < maxModes; at -= modeBits) {
    const zeros = bitsAt(setup, at + 1, 16) + bitsAt(setup, at + 17, 16);
    if (zeros > 0 || bitsAt(setup, at + 33, 8) > maxMapping) break;
    modes.unshift(bitsAt(setup, at, 1) === 1);
    if (bitsAt(setup, at - countBits, countBits) + 1 === modes.length) found = [...modes];
  }
  return found;
};

/** A number whose lowest bit comes first. */
const bitsAt = (bytes: Uint8Array, offset: number, count: number): number => {
  let value = 0;
  for (let index = 0; index < count; index += 1) {
    const bit = offset + index;
    value |= ((byteAt(bytes, bit >> 3) >> (bit & 7)) & 1) << index;
  }
  return value;
};
