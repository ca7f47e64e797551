import { crc32 } from "node:zlib";

import { Crc64Nvme } from "./crc.ts";

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
