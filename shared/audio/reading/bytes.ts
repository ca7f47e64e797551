/**
 * Reads numbers and text from untrusted bytes. A byte beyond the end counts as zero: files may be cut off anywhere,
 * and the readers judge the values.
 */

export const byteAt = (bytes: Uint8Array, offset: number): number => bytes[offset] ?? 0;

export const uint16LittleEndian = (bytes: Uint8Array, offset: number): number =>
  byteAt(bytes, offset) | (byteAt(bytes, offset + 1) << 8);

export const uint32LittleEndian = (bytes: Uint8Array, offset: number): number =>
  (uint16LittleEndian(bytes, offset) | (uint16LittleEndian(bytes, offset + 2) << 16)) >>> 0;

export const uint16BigEndian = (bytes: Uint8Array, offset: number): number =>
  (byteAt(bytes, offset) << 8) | byteAt(bytes, offset + 1);

export const uint32BigEndian = (bytes: Uint8Array, offset: number): number =>
  ((uint16BigEndian(bytes, offset) << 16) | uint16BigEndian(bytes, offset + 2)) >>> 0;

/** Exact up to 2^53; beyond it the low bits are lost, which no honest file size or sample count reaches. */
export const uint64LittleEndian = (bytes: Uint8Array, offset: number): number =>
  uint32LittleEndian(bytes, offset + 4) * 2 ** 32 + uint32LittleEndian(bytes, offset);

/** The characters of a tag such as `RIFF`, one a byte; shorter at the end of the bytes. */
export const textAt = (bytes: Uint8Array, offset: number, length: number): string =>
  Array.from(bytes.subarray(offset, offset + length), (byte) => String.fromCharCode(byte)).join("");

export const hasText = (bytes: Uint8Array, offset: number, text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[offset + index] !== text.charCodeAt(index)) return false;
  }
  return true;
};

/** The same bytes as a `Buffer`, for its fast searches. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const concatenate = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);
