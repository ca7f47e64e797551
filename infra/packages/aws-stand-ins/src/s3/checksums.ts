import { crc32 } from "node:zlib";

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

/** CRC-64/NVME of a stream, as two 32-bit halves because BigInt is some fifty times slower. */
class Crc64Nvme {
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

/** What AWS's own clients send by default: the SDKs the one, the command line the other. */
export const checksumNames = ["crc32", "crc64nvme"] as const;
export type ChecksumName = (typeof checksumNames)[number];

/** Base64 values by algorithm, as in the `x-amz-checksum-*` headers. */
export type Checksums = Record<string, string>;

export interface RunningChecksum {
  update(chunk: Uint8Array): void;
  /** The checksum of everything so far, in base64. */
  digest(): string;
}

const runningCrc32 = (): RunningChecksum => {
  let crc = 0;
  return {
    update: (chunk) => {
      crc = crc32(chunk, crc);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(crc);
      return bytes.toString("base64");
    },
  };
};

const runningCrc64 = (): RunningChecksum => {
  const crc = new Crc64Nvme();
  return { update: (chunk) => crc.update(chunk), digest: () => crc.digest().toString("base64") };
};

export const startChecksum = (name: ChecksumName): RunningChecksum =>
  name === "crc32" ? runningCrc32() : runningCrc64();

export const checksumHeader = (name: ChecksumName): string => `x-amz-checksum-${name}`;

/** The checksums as response headers. */
export const checksumHeaders = (checksums: Checksums): Record<string, string> =>
  Object.fromEntries(
    Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const),
  );
