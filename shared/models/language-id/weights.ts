import { readFileSync } from "node:fs";
import { bucketBits, maxNgramLength } from "./features.ts";
import { identifiableLanguages } from "./identification.ts";

/** The class of every other language; the six have the classes before it, in their order in `identifiableLanguages`. */
export const otherClass = identifiableLanguages.length;

export const classCount = otherClass + 1;

export interface Weights {
  /** One word per bucket. Class `c` has the four bits from bit `4 * c`: a level of -7 to 7, in two's complement. */
  readonly words: Uint32Array;
  /** The weight of level 7. Levels are spaced quadratically: level `k` weighs `sign(k) * (k / 7)^2 * largest`. */
  readonly maxWeight: number;
  readonly biases: Float32Array;
  /** Divides the scores before the softmax, so that a probability is the share of correct results. */
  readonly temperature: number;
}

/** The largest level that four bits hold on both sides of zero. */
export const maxLevel = 7;

/** The weight of each of the sixteen four-bit patterns. */
export const weightOfNibble = (maxWeight: number): Float64Array =>
  Float64Array.from({ length: 16 }, (_, nibble) => {
    const level = nibble > maxLevel ? nibble - 16 : nibble;
    return Math.sign(level) * (level / maxLevel) ** 2 * maxWeight;
  });

const bucketCount = 1 << bucketBits;

/** "LID1", read as a little-endian number. */
const signature = 0x3144494c;
const biasesAt = 16;
const wordsAt = biasesAt + 4 * classCount;
const fileLength = wordsAt + 4 * bucketCount;

/** Not imported: a function whose build has unpacked the weights starts without loading it. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** Writes the weights file. The same weights give the same bytes. */
export const encodeWeights = (weights: Weights): Uint8Array => {
  const file = new DataView(new ArrayBuffer(fileLength));
  file.setUint32(0, signature, true);
  file.setUint8(4, bucketBits);
  file.setUint8(5, maxNgramLength);
  file.setUint8(6, classCount);
  file.setFloat32(8, weights.temperature, true);
  file.setFloat32(12, weights.maxWeight, true);
  weights.biases.forEach((bias, index) => {
    file.setFloat32(biasesAt + 4 * index, bias, true);
  });
  weights.words.forEach((word, index) => {
    file.setUint32(wordsAt + 4 * index, word, true);
  });
  return zlib().brotliCompressSync(file);
};

const notWeights = (cause?: unknown): Error => new Error("These bytes are not a weights file.", { cause });

/** Decompresses what {@link encodeWeights} wrote; a build does it once, to spare each start the work. */
export const unpackWeights = (compressed: Uint8Array): Uint8Array => {
  try {
    return zlib().brotliDecompressSync(compressed, { maxOutputLength: fileLength });
  } catch (error) {
    throw notWeights(error);
  }
};

const isUnpacked = (file: Uint8Array): boolean =>
  file.length === fileLength && new DataView(file.buffer, file.byteOffset).getUint32(0, true) === signature;

/** Reads a weights file, compressed or not. @throws Error for other bytes, or weights for other features than ours */
export const decodeWeights = (stored: Uint8Array): Weights => {
  const bytes = isUnpacked(stored) ? stored : unpackWeights(stored);
  if (!isUnpacked(bytes)) throw notWeights();
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (
    file.getUint8(4) !== bucketBits ||
    file.getUint8(5) !== maxNgramLength ||
    file.getUint8(6) !== classCount
  ) {
    throw new Error("The weights were trained for other features than this code computes. Train them again.");
  }
  const biases = Float32Array.from({ length: classCount }, (_, index) =>
    file.getFloat32(biasesAt + 4 * index, true),
  );
  // As the machine reads numbers, which is little-endian on all that Lambda offers and Node is common on.
  const words = new Uint32Array(new Uint8Array(bytes.subarray(wordsAt)).buffer);
  return { words, biases, temperature: file.getFloat32(8, true), maxWeight: file.getFloat32(12, true) };
};

export const weightsFile = new URL("./weights.bin", import.meta.url);

/**
 * Reads the weights next to this file, or next to the bundle that contains it: the bundler copies them there. A
 * separate file costs functions nothing that do not read it.
 */
export const readWeights = (): Uint8Array => readFileSync(weightsFile);
