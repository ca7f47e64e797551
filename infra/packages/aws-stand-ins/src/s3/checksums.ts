import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

import { Crc64Nvme, crc32c } from "./crc.ts";

export const checksumNames = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"] as const;
export type ChecksumName = (typeof checksumNames)[number];

/** Base64 values by algorithm, as in the `x-amz-checksum-*` headers. */
export type Checksums = Partial<Record<ChecksumName, string>>;

export interface RunningChecksum {
  update(chunk: Uint8Array): void;
  /** The checksum of everything so far, in base64. */
  digest(): string;
}

const runningCrc = (next: (chunk: Uint8Array, previous: number) => number): RunningChecksum => {
  let crc = 0;
  return {
    update: (chunk) => {
      crc = next(chunk, crc);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(crc);
      return bytes.toString("base64");
    },
  };
};

const runningHash = (algorithm: "sha1" | "sha256"): RunningChecksum => {
  const hash = createHash(algorithm);
  return { update: (chunk) => hash.update(chunk), digest: () => hash.digest("base64") };
};

const runningCrc64 = (): RunningChecksum => {
  const crc = new Crc64Nvme();
  return { update: (chunk) => crc.update(chunk), digest: () => crc.digest().toString("base64") };
};

export const startChecksum = (name: ChecksumName): RunningChecksum => {
  switch (name) {
    case "crc32":
      return runningCrc(crc32);
    case "crc32c":
      return runningCrc(crc32c);
    case "crc64nvme":
      return runningCrc64();
    default:
      return runningHash(name);
  }
};

export const checksumHeader = (name: ChecksumName): string => `x-amz-checksum-${name}`;

/** The checksums as response headers. */
export const checksumHeaders = (checksums: Checksums): Record<string, string> =>
  Object.fromEntries(
    Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const),
  );
