/** Features are hashed into 2^17 buckets. The weights file records both numbers and is refused when they differ. */
export const bucketBits = 17;
export const maxNgramLength = 5;

const bucketMask = (1 << bucketBits) - 1;
const space = 32;

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
/** A separate start keeps a whole word apart from the n-gram with the same letters. */
const wordOffset = 0x2f0b4a27;

/** FNV leaves its low bits poorly mixed, and the bucket is the low bits (finaliser of MurmurHash3, shortened). */
const bucketOf = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) & bucketMask;
};

/** How many bucket numbers {@link writeFeatures} can write for a normalised text of that many UTF-16 units. */
export const featureCapacity = (length: number): number => (length + 2) * (maxNgramLength + 1);

/**
 * Writes the bucket of every feature of a normalised text: the character n-grams of 1 to 5 within a word, the spaces
 * at its two ends included, and each whole word.
 * @param normalised what `normalise` returned, not empty
 * @param buckets at least `featureCapacity(normalised.length)` long
 * @returns how many were written
 */
export const writeFeatures = (normalised: string, buckets: Int32Array): number => {
  const text = ` ${normalised} `;
  let count = 0;
  let wordHash = wordOffset;
  for (let start = 0; start < text.length; start++) {
    const first = text.charCodeAt(start);
    const end = Math.min(text.length, start + maxNgramLength);
    let hash = Math.imul(fnvOffset ^ first, fnvPrime);
    if (first !== space) buckets[count++] = bucketOf(hash);
    for (let position = start + 1; position < end; position++) {
      const unit = text.charCodeAt(position);
      hash = Math.imul(hash ^ unit, fnvPrime);
      buckets[count++] = bucketOf(hash);
      if (unit === space) break;
    }
    if (first !== space) {
      wordHash = Math.imul(wordHash ^ first, fnvPrime);
    } else if (start > 0) {
      buckets[count++] = bucketOf(wordHash);
      wordHash = wordOffset;
    }
  }
  return count;
};
