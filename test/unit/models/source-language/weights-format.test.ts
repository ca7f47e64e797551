import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bucketBits } from "../../../../shared/models/language-id/features.ts";
import { loadSourceLanguageDetector } from "../../../../shared/models/source-language/detector.ts";
import { sourceClassCount } from "../../../../shared/models/source-language/languages.ts";
import {
  decodeSparseWeights,
  encodeSparseWeights,
  readSparseWeights,
  unpackSparseWeights,
  weightOfLevel,
} from "../../../../shared/models/source-language/weights.ts";

const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

describe("the weights file of source languages", () => {
  it("returns what was stored", () => {
    const counts = new Uint8Array(1 << bucketBits);
    counts[3] = 3;
    counts[70_000] = 1;
    const weights = {
      counts,
      classes: Uint8Array.of(0, 5, 30, 0),
      levels: Uint8Array.of(0, 8, 14, 5),
      biases: Float32Array.from({ length: sourceClassCount }, (_, index) => index / 3),
      maxWeight: 2.5,
    };
    const stored = encodeSparseWeights(weights);
    expect(decodeSparseWeights(stored)).toEqual(weights);
    expect(decodeSparseWeights(unpackSparseWeights(stored))).toEqual(weights);
  });

  it("in the repository is at most 300 kB", () => {
    expect(readSparseWeights().length).toBeLessThanOrEqual(300_000);
  });

  it("spaces its levels quadratically on both sides of zero", () => {
    const rounded = [-7, -3, -1, 0, 1, 2, 7].map((level) => Math.round(weightOfLevel(level, 49)));
    expect(rounded).toEqual([-49, -9, -1, 0, 1, 4, 49]);
  });

  it.each([
    ["are not compressed", Buffer.from("weights")],
    ["are something else, compressed", brotliCompressSync(Buffer.from("weights"))],
    ["would swell beyond the size of the weights", brotliCompressSync(Buffer.alloc(50_000_000), quickly)],
  ])("is refused when the bytes %s", (_, bytes) => {
    expect(() => loadSourceLanguageDetector(bytes)).toThrow("These bytes are not weights");
  });

  it.each([
    ["other features", 4],
    ["other languages", 6],
  ])("is refused when it was trained for %s", (_, at) => {
    const file = brotliDecompressSync(readSparseWeights());
    file.writeUInt8(file.readUInt8(at) + 1, at);
    expect(() => loadSourceLanguageDetector(file)).toThrow("trained for other features or languages");
  });

  it("is refused when its buckets do not have as many entries as it says", () => {
    const file = brotliDecompressSync(readSparseWeights());
    const at = 16 + 4 * sourceClassCount;
    file.writeUInt8((file.readUInt8(at) + 1) % 256, at);
    expect(() => loadSourceLanguageDetector(file)).toThrow("These bytes are not weights");
  });
});
