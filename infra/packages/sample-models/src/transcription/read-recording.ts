import { ApiError } from "../endpoint.ts";
import { ByteReader } from "./byte-reader.ts";
import type { Recording } from "./find-speech.ts";
import { readWav } from "./read-wav.ts";

/** The edges of a file, and its length in bytes. */
export type FileEdges = { readonly head: Buffer; readonly tail: Buffer; readonly length: number };

/**
 * How long a recording is, in seconds, as far as its edges tell: Ogg (Opus, Vorbis), FLAC and MP4 say it, for MP3
 * the bit rate of the first frame is taken for that of all. 0 for everything else.
 */
export const estimateDuration = (edges: FileEdges): number => {
  const seconds = oggSeconds(edges) ?? flacSeconds(edges) ?? mp4Seconds(edges) ?? mp3Seconds(edges) ?? 0;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
};

/** The last page counts the samples up to its end (RFC 3533). Opus counts at 48 kHz always (RFC 7845). */
const oggSeconds = ({ head, tail }: FileEdges): number | undefined => {
  const lastPage = tail.lastIndexOf("OggS", undefined, "latin1");
  if (head.toString("latin1", 0, 4) !== "OggS" || lastPage === -1 || lastPage + 14 > tail.length)
    return undefined;
  const samples = Number(tail.readBigInt64LE(lastPage + 6));
  const opus = head.indexOf("OpusHead", 0, "latin1");
  if (opus !== -1 && opus + 12 <= head.length) return (samples - head.readUInt16LE(opus + 10)) / 48_000;
  const vorbis = head.indexOf("\u0001vorbis", 0, "latin1");
  if (vorbis !== -1 && vorbis + 16 <= head.length) return samples / head.readUInt32LE(vorbis + 12);
  return undefined;
};

/** The first block has the rate in 20 bits and the number of samples in 36 (RFC 9639). */
const flacSeconds = ({ head }: FileEdges): number | undefined => {
  if (head.toString("latin1", 0, 4) !== "fLaC" || head.length < 26) return undefined;
  const packed = head.readBigUInt64BE(18);
  const samples = Number(packed & 0xf_ff_ff_ff_ffn);
  return samples / Number(packed >> 44n);
};

/** The movie header, which is at the start or, when it was written last, at the end (ISO/IEC 14496-12). */
const mp4Seconds = ({ head, tail }: FileEdges): number | undefined => {
  if (head.toString("latin1", 4, 8) !== "ftyp") return undefined;
  for (const edge of [head, tail]) {
    const header = edge.indexOf("mvhd", 0, "latin1");
    if (header === -1 || header + 32 > edge.length) continue;
    const isLong = edge[header + 4] === 1;
    return isLong
      ? Number(edge.readBigUInt64BE(header + 28)) / edge.readUInt32BE(header + 24)
      : edge.readUInt32BE(header + 20) / edge.readUInt32BE(header + 16);
  }
  return undefined;
};

/** Kilobits per second of layer III, by the index in a frame's header: version 1, then versions 2 and 2.5. */
const mp3BitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;

const mp3Seconds = ({ head, length }: FileEdges): number | undefined => {
  const start = id3Length(head);
  if (start + 4 > head.length) return undefined;
  const header = head.readUInt32BE(start);
  const isLayer3 = header >>> 21 === 0x7_ff && ((header >>> 17) & 3) === 1;
  const bitRates = ((header >>> 19) & 3) === 3 ? mp3BitRates[0] : mp3BitRates[1];
  const kilobits = bitRates[(header >>> 12) & 15];
  return isLayer3 && kilobits ? ((length - start) * 8) / (kilobits * 1000) : undefined;
};

/** An ID3 tag says its length in four times seven bits. */
const id3Length = (head: Buffer): number => {
  if (head.toString("latin1", 0, 3) !== "ID3" || head.length < 10) return 0;
  return 10 + head.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 127), 0);
};

/** Where other formats than WAV say how long they are: near the beginning or near the end. */
const edgeLength = 64 * 1024;

/**
 * Reads an audio file as it comes in, to its end. Only 16-bit WAV files are listened to; a file of another format
 * counts as speech from beginning to end, and its length is an estimate: 0 when there is nothing to tell it by.
 *
 * Throws an `ApiError` (400) for a file without a byte.
 */
export const readRecording = async (file: AsyncIterable<Buffer>): Promise<Recording> => {
  const reader = new ByteReader(file);
  const form = (await reader.peek(12)).toString("latin1");
  if (form === "")
    throw new ApiError(400, "Invalid 'file': it is empty.", { code: "invalid_value", param: "file" });
  // RF64 is the same format for files of more than 4 GiB.
  if (/^(?:RIFF|RF64)....WAVE$/su.test(form)) return readWav(reader);

  const head = await reader.peek(edgeLength);
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of reader.readChunks()) {
    tail = Buffer.concat([tail, chunk]).subarray(-edgeLength);
  }
  const durationSeconds = estimateDuration({ head, tail, length: reader.position });
  return { durationSeconds, speech: [{ start: 0, end: durationSeconds }] };
};
