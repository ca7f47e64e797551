import { byteAt, concatenate, hasText, textAt, uint32BigEndian } from "../reading/bytes.ts";
import type { Frame } from "./frames.ts";

/** What an MP3's first frame says about the rest, when it carries a header instead of audio. */
export interface VbrHeader {
  /** `Info` marks a constant bit rate. */
  readonly tag: "Xing" | "Info";
  /** The announced number of frames with audio. */
  readonly frames?: number;
  /** What LAME adds: the encoder's delay and padding, in samples, which players leave out. */
  readonly encoder?: Encoder;
}

interface Encoder {
  readonly extension: Uint8Array;
  readonly delay: number;
  readonly padding: number;
}

const tagAndFlags = 8;
const framesFlag = 1;
const extensionBytes = 36;

/** The bytes of the fields that each flag announces, in their order. */
const fields = [
  [framesFlag, 4],
  [2, 4],
  [4, 100],
  [8, 4],
] as const;

/** The offset of a VBR header in a frame: after the frame's own header and the side information, which is empty. */
const vbrHeaderOffset = ({ samples, channels }: Frame): number => {
  if (samples === 1_152) return channels === 1 ? 21 : 36;
  return channels === 1 ? 13 : 21;
};

/** The VBR header in an MP3's first frame: Xing's and LAME's, or Fraunhofer's VBRI. */
export const readVbrHeader = (frameBytes: Uint8Array, frame: Frame): VbrHeader | undefined => {
  const offset = vbrHeaderOffset(frame);
  const tag = textAt(frameBytes, offset, 4);
  if (tag !== "Xing" && tag !== "Info") return hasText(frameBytes, 36, "VBRI") ? { tag: "Xing" } : undefined;

  const flags = uint32BigEndian(frameBytes, offset + 4);
  const length = fields.reduce((sum, [flag, size]) => sum + (flags & flag ? size : 0), tagAndFlags);
  const frames = flags & framesFlag ? { frames: uint32BigEndian(frameBytes, offset + tagAndFlags) } : {};
  const extension = frameBytes.subarray(offset + length, offset + length + extensionBytes);
  if (extension.length < extensionBytes || !/^(LAME|Lav[fc])/.test(textAt(extension, 0, 4))) {
    return { tag, ...frames };
  }
  const middle = byteAt(extension, 22);
  return {
    tag,
    ...frames,
    encoder: {
      extension,
      delay: (byteAt(extension, 21) << 4) | (middle >> 4),
      padding: ((middle & 15) << 8) | byteAt(extension, 23),
    },
  };
};

/**
 * A header frame for a stream of `frames` frames: their number, if it is known, so players show the right length, and the number
 * of dropped samples. It omits the size and the seek table, which players do not need, and which a stream that is
 * cut while it is read does not know yet.
 */
export const writeVbrHeader = (
  header: VbrHeader,
  frameBytes: Uint8Array,
  frame: Frame,
  frames?: number,
): Uint8Array => {
  const result = new Uint8Array(frame.length);
  const view = new DataView(result.buffer);
  const offset = vbrHeaderOffset(frame);
  result.set(frameBytes.subarray(0, 4));
  const extensionOffset = offset + tagAndFlags + (frames === undefined ? 0 : 4);
  if (extensionOffset > result.length) return result;
  result.set(Buffer.from(header.tag, "latin1"), offset);
  if (frames !== undefined) {
    view.setUint32(offset + 4, framesFlag);
    view.setUint32(offset + 8, frames);
  }
  if (header.encoder && extensionOffset + extensionBytes <= result.length) {
    result.set(cutExtension(header.encoder), extensionOffset);
    const end = extensionOffset + extensionBytes;
    view.setUint16(end - 2, crc16(result.subarray(0, end - 2)));
  }
  return result;
};

/** The extension without fields that are no longer true: the length and the checksums of the music. */
const cutExtension = ({ extension, delay, padding }: Encoder): Uint8Array =>
  concatenate(
    extension.subarray(0, 21),
    Uint8Array.of(delay >> 4, ((delay & 15) << 4) | (padding >> 8), padding & 0xff),
    extension.subarray(24, 28),
    new Uint8Array(8),
  );

/** What players check in a header before they trust it. */
export const plainExtension: Uint8Array = Buffer.from("LAME".padEnd(extensionBytes, "\0"), "latin1");

/** How long a frame must be for a header with an extension. */
export const vbrHeaderBytes = (frame: Frame): number =>
  vbrHeaderOffset(frame) + tagAndFlags + 4 + extensionBytes;

/** CRC-16 with the reflected polynomial 0x8005, as LAME protects its tag with. */
const crc16 = (bytes: Uint8Array): number => {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
};
