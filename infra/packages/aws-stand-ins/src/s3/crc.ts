/** A table-driven CRC-32C (Castagnoli). Node has only the plain CRC-32. */
const crc32cTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

/** CRC-32C of `data`, continuing from the CRC of what came before it; an unsigned 32-bit number. */
export const crc32c = (data: Uint8Array, previous = 0): number => {
  let crc = ~previous;
  for (const byte of data) crc = (crc >>> 8) ^ (crc32cTable[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
};

const crc64High = new Uint32Array(256);
const crc64Low = new Uint32Array(256);
for (let index = 0; index < 256; index += 1) {
  let high = 0;
  let low = index;
  for (let bit = 0; bit < 8; bit += 1) {
    const carry = low & 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (carry) {
      high ^= 0x9a6c9329;
      low ^= 0xac4bc9b5;
    }
  }
  crc64High[index] = high;
  crc64Low[index] = low;
}

/** CRC-64/NVME of a stream, kept as two 32-bit halves because BigInt is some fifty times slower. */
export class Crc64Nvme {
  #high = 0xffffffff;
  #low = 0xffffffff;

  update(data: Uint8Array): void {
    let high = this.#high;
    let low = this.#low;
    for (const byte of data) {
      const index = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (crc64Low[index] ?? 0);
      high = (high >>> 8) ^ (crc64High[index] ?? 0);
    }
    this.#high = high;
    this.#low = low;
  }

  /** Eight bytes, most significant first. */
  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes;
  }
}
