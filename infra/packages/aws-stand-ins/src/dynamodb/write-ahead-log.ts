/**
 * The format of LevelDB's log files (doc/log_format.md in its repository): blocks of 32 KB that hold records of a
 * checksum (4 bytes), a length (2 bytes), a type (1 byte) and data.
 */
const blockSize = 32_768;
const headerSize = 7;
const recordTypes = { unused: 0, last: 4 };

const crc32cTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0);
  return remainder;
});

const crc32c = (bytes: Uint8Array): number => {
  let remainder = 0xffffffff;
  for (const byte of bytes) remainder = (remainder >>> 8) ^ (crc32cTable[(remainder ^ byte) & 0xff] ?? 0);
  return ~remainder >>> 0;
};

/** LevelDB rotates a checksum before it stores it, so that data which contains checksums keeps good ones. */
const masked = (checksum: number): number => (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0;

/**
 * Whether a log file holds a record that was changed after it was written. LevelDB itself skips such records without a
 * word, and with them everything else in their block. A record that the end of the file cuts off is no damage: it was
 * being written when the process was killed, and nobody was told that it had been.
 */
export const isDamagedLog = (log: Buffer): boolean => {
  let offset = 0;
  while (offset + headerSize <= log.length) {
    const leftInBlock = blockSize - (offset % blockSize);
    const length = leftInBlock < headerSize ? 0 : log.readUInt16LE(offset + 4);
    const type = leftInBlock < headerSize ? recordTypes.unused : log.readUInt8(offset + 6);
    if (type === recordTypes.unused && length === 0) {
      offset += leftInBlock;
      continue;
    }
    const size = headerSize + length;
    if (type === recordTypes.unused || type > recordTypes.last || size > leftInBlock) return true;
    if (offset + size > log.length) return false;
    const checksum = crc32c(log.subarray(offset + headerSize - 1, offset + size));
    if (log.readUInt32LE(offset) !== masked(checksum)) return true;
    offset += size;
  }
  return false;
};
