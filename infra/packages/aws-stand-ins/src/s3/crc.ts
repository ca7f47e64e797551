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
