import { readFileSync } from "node:fs";
import { bucketBits, maxNgramLength } from "../language-id/features.ts";
import { sourceClassCount } from "./languages.ts";

/**
 * The weights of the model. Most are zero, so a bucket lists those that are not: first come the entries of bucket 0, in the order
 * of their classes, then those of bucket 1, and so on.
 */
export interface SparseWeights {
  /** How many entries each bucket has. */
  readonly counts: Uint8Array;
  /** The class of each entry. */
  readonly classes: Uint8Array;
  /** The level of each entry plus 7, from 0 to 14. Level `k` weighs `sign(k) * (k / 7)^2 * maxWeight`. */
  readonly levels: Uint8Array;
  readonly maxWeight: number;
  readonly biases: Float32Array;
}

/** The highest level on either side of zero. */
export const maxSparseLevel = 7;

/** The weight of a level. */
export const weightOfLevel = (level: number, maxWeight: number): number =>
  Math.sign(level) * (level / maxSparseLevel) ** 2 * maxWeight;

const bucketCount = 1 << bucketBits;

/** "SRC1", read as a little-endian number. */
const signature = 0x31435253;
const biasesAt = 16;
const countsAt = biasesAt + 4 * sourceClassCount;
const entriesAt = countsAt + bucketCount;
const maxEntries = 1_000_000;
const lengthOf = (entries: number): number => entriesAt + 2 * entries;

/** Not imported: a function whose build has unpacked the weights starts without loading it. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** Replaces each class by its distance from the one before it in its bucket, which takes less room. */
const toGaps = (counts: Uint8Array, classes: Uint8Array): Uint8Array => {
  const gaps = new Uint8Array(classes.length);
  let at = 0;
  for (const count of counts) {
    let next = 0;
    for (let entry = 0; entry < count; entry++, at++) {
      const classIndex = classes[at] ?? 0;
      gaps[at] = classIndex - next;
      next = classIndex + 1;
    }
  }
  return gaps;
};

/** The reverse of {@link toGaps}. @returns `undefined` when the buckets have more or fewer entries */
const fromGaps = (counts: Uint8Array, gaps: Uint8Array): Uint8Array | undefined => {
  const classes = new Uint8Array(gaps.length);
  let at = 0;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const end = at + (counts[bucket] ?? 0);
    for (let next = 0; at < end; at++) {
      const classIndex = next + (gaps[at] ?? 0);
      classes[at] = classIndex;
      next = classIndex + 1;
    }
  }
  return at === gaps.length ? classes : undefined;
};

/** Writes the weights file. The same weights give the same bytes. */
export const encodeSparseWeights = (weights: SparseWeights): Uint8Array => {
  const { counts, classes, levels } = weights;
  const bytes = new Uint8Array(lengthOf(classes.length));
  const file = new DataView(bytes.buffer);
  file.setUint32(0, signature, true);
  file.setUint8(4, bucketBits);
  file.setUint8(5, maxNgramLength);
  file.setUint8(6, sourceClassCount);
  file.setUint32(8, classes.length, true);
  file.setFloat32(12, weights.maxWeight, true);
  weights.biases.forEach((bias, index) => {
    file.setFloat32(biasesAt + 4 * index, bias, true);
  });
  bytes.set(counts, countsAt);
  bytes.set(toGaps(counts, classes), entriesAt);
  bytes.set(levels, entriesAt + classes.length);
  return zlib().brotliCompressSync(bytes);
};

const notWeights = (cause?: unknown): Error =>
  new Error("These bytes are not weights of the source language model.", { cause });

/** Decompresses what {@link encodeSparseWeights} wrote; a build does it once, to spare the first use the work. */
export const unpackSparseWeights = (compressed: Uint8Array): Uint8Array => {
  try {
    return zlib().brotliDecompressSync(compressed, { maxOutputLength: lengthOf(maxEntries) });
  } catch (error) {
    throw notWeights(error);
  }
};

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

const isUnpacked = (bytes: Uint8Array): boolean =>
  bytes.length >= entriesAt &&
  viewOf(bytes).getUint32(0, true) === signature &&
  bytes.length === lengthOf(viewOf(bytes).getUint32(8, true));

/** Reads a weights file, compressed or not. @throws Error for other bytes, or weights for other features or languages */
export const decodeSparseWeights = (stored: Uint8Array): SparseWeights => {
  const bytes = isUnpacked(stored) ? stored : unpackSparseWeights(stored);
  if (!isUnpacked(bytes)) throw notWeights();
  const file = viewOf(bytes);
  if (
    file.getUint8(4) !== bucketBits ||
    file.getUint8(5) !== maxNgramLength ||
    file.getUint8(6) !== sourceClassCount
  ) {
    throw new Error("The weights were trained for other features or languages. Train them again.");
  }
  const entries = file.getUint32(8, true);
  const counts = new Uint8Array(bytes.subarray(countsAt, entriesAt));
  const classes = fromGaps(counts, bytes.subarray(entriesAt, entriesAt + entries));
  if (!classes) throw notWeights();
  return {
    counts,
    classes,
    levels: new Uint8Array(bytes.subarray(entriesAt + entries)),
    maxWeight: file.getFloat32(12, true),
    biases: Float32Array.from({ length: sourceClassCount }, (_, index) =>
      file.getFloat32(biasesAt + 4 * index, true),
    ),
  };
};

export const sparseWeightsFile = new URL("./source-language.bin", import.meta.url);

/** Reads the weights next to this file, or next to the bundle that contains it: the bundler copies them there. */
export const readSparseWeights = (): Uint8Array => readFileSync(sparseWeightsFile);
