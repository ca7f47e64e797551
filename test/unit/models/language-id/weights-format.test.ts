import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bucketBits } from "../../../../shared/models/language-id/features.ts";
import { loadLanguageModel } from "../../../../shared/models/language-id/model.ts";
import {
  classCount,
  decodeWeights,
  encodeWeights,
  readWeights,
  unpackWeights,
  weightOfNibble,
} from "../../../../shared/models/language-id/weights.ts";

const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

describe("the weights file", () => {
  it("returns what was stored", () => {
    const weights = {
      words: Uint32Array.from({ length: 1 << bucketBits }, (_, bucket) =>
        bucket % 1_000 === 0 ? Math.imul(bucket + 1, 0x9e3779b1) >>> 4 : 0,
      ),
      biases: Float32Array.from({ length: classCount }, (_, index) => index / 3),
      maxWeight: 2.5,
      temperature: 1.25,
    };
    const stored = encodeWeights(weights);
    for (const bytes of [stored, unpackWeights(stored)]) {
      const { words, ...others } = decodeWeights(bytes);
      expect(others).toEqual({ biases: weights.biases, maxWeight: 2.5, temperature: 1.25 });
      expect(Buffer.compare(Buffer.from(words.buffer), Buffer.from(weights.words.buffer))).toBe(0);
    }
  });

  it("in the repository is at most 300 kB", () => {
    expect(readWeights().length).toBeLessThanOrEqual(300_000);
  });

  it("spaces the fifteen levels quadratically on both sides of zero", () => {
    const rounded = Array.from(weightOfNibble(49), (weight) => Math.round(weight * 1000) / 1000);
    expect(rounded.slice(0, 8)).toEqual([0, 1, 4, 9, 16, 25, 36, 49]);
    expect(rounded.slice(9)).toEqual([-49, -36, -25, -16, -9, -4, -1]);
  });

  it.each([
    ["are not compressed", Buffer.from("weights")],
    ["are something else, compressed", brotliCompressSync(Buffer.from("weights"))],
    ["would swell beyond the size of the weights", brotliCompressSync(Buffer.alloc(50_000_000), quickly)],
  ])("is refused when the bytes %s", (_, bytes) => {
    expect(() => loadLanguageModel(bytes)).toThrow("These bytes are not a weights file.");
  });

  it("is refused when it was trained for other features", () => {
    const file = brotliDecompressSync(readWeights());
    file.writeUInt8(bucketBits + 1, 4);
    expect(() => loadLanguageModel(brotliCompressSync(file, quickly))).toThrow("trained for other features");
  });
});
