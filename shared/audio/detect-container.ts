import { isAmr } from "./amr/amr.ts";
import { isAiff } from "./blocks/aiff.ts";
import { isAu } from "./blocks/au.ts";
import { isCaf } from "./blocks/caf.ts";
import { recogniseForeignFile, recogniseText } from "./foreign-files.ts";
import { adtsFormat } from "./mpeg/adts.ts";
import type { FrameFormat } from "./mpeg/frames.ts";
import { mp2Format } from "./mpeg/mp2.ts";
import { mp3Format } from "./mpeg/mp3.ts";
import { NotAudioError, UnreadableAudioError } from "./reading/audio-errors.ts";
import type { SourceWindow } from "./reading/audio-source.ts";
import { byteAt, hasText, textAt, uint32BigEndian } from "./reading/bytes.ts";
import type { AudioContainer } from "./reading/container.ts";
import { isW64 } from "./wav/w64.ts";

export interface DetectedContainer {
  readonly container: AudioContainer;
  /** After any ID3 tags, and for frames after foreign bytes. */
  readonly start: number;
}

/**
 * Detects the container of a file from its bytes.
 * @throws NotAudioError naming what the file looks like; UnreadableAudioError when there is no audio after an ID3
 * tag
 */
export const detectContainer = async (window: SourceWindow): Promise<DetectedContainer> => {
  const head = await window.read(0, 4_096);
  const container = containerOf(head, window.size);
  if (container) return { container, start: 0 };
  const foreign = recogniseForeignFile(head);
  if (foreign) throw new NotAudioError(foreign);

  const start = await skipTags(window);
  const tagged = start > 0 ? containerOf(await window.read(start, 64), window.size - start) : undefined;
  if (tagged) return { container: tagged, start };
  const near = { searched: start > 0 ? searchedAfterTag : searchedWithoutTag, proof: proofAfterOtherBytes };
  const far = { searched: searchedDeeply, proof: proofFarBehind };
  const frames = (await findFrames(window, start, near)) ?? (await findFrames(window, start, far));
  if (frames) return frames;
  if (start > 0) throw new UnreadableAudioError("The audio is damaged: there is nothing after its ID3 tag.");
  throw new NotAudioError(recogniseText(head));
};

const ebmlSignature = 0x1a45dfa3;

/** @param size of the file, from these bytes on */
const containerOf = (head: Uint8Array, size: number): AudioContainer | undefined => {
  const tag = textAt(head, 0, 4);
  if ((tag === "RIFF" || tag === "RF64" || tag === "BW64") && hasText(head, 8, "WAVE")) return "wav";
  if (tag === "OggS" && !hasText(head, 28, "Speex   ")) return "ogg";
  if (tag === "fLaC") return "flac";
  if (isAmr(head)) return "amr";
  if (isAiff(head)) return "aiff";
  if (isAu(head)) return "au";
  if (isCaf(head)) return "caf";
  if (isW64(head)) return "w64";
  if (hasText(head, 4, "ftyp") && !recogniseForeignFile(head)) return "mp4";
  if (isQuickTime(head, size)) return "mp4";
  return uint32BigEndian(head, 0) === ebmlSignature ? "webm" : undefined;
};

const quickTimeBoxes: ReadonlySet<string> = new Set(["moov", "mdat", "wide", "free", "skip"]);

/** QuickTime from before there was a box with the type of the file. A word of a text has no such length before it. */
const isQuickTime = (head: Uint8Array, size: number): boolean => {
  const length = uint32BigEndian(head, 0);
  return quickTimeBoxes.has(textAt(head, 4, 4)) && (length <= 1 || (length >= 8 && length <= size));
};

const maxTags = 8;
const footerFlag = 0x10;

/** The offset after any ID3v2 tags; taggers put them before MP3, ADTS and even FLAC. */
const skipTags = async (window: SourceWindow): Promise<number> => {
  let offset = 0;
  for (let count = 0; count < maxTags; count += 1) {
    const header = await window.read(offset, 10);
    if (header.length < 10 || !hasText(header, 0, "ID3")) return offset;
    // A "synchsafe" number: seven bits a byte, so that a size can never look like the start of a frame.
    let size = 0;
    for (const byte of header.subarray(6)) size = size * 128 + (byte & 127);
    offset += 10 + size + (byteAt(header, 5) & footerFlag ? 10 : 0);
  }
  return offset;
};

/**
 * How many frames in a row prove a stream: four at its start, eight after other bytes. Tables of machine code have
 * been seen to pass for fewer.
 */
const proofAtStart = 4;
const proofAfterOtherBytes = 8;

const searchedWithoutTag = 8_192;
const searchedAfterTag = 65_536;

/** Behind more bytes than these, 32 frames in a row prove a stream, as captures and joined files have them. */
const searchedDeeply = 1 << 19;
const proofFarBehind = 32;

const frameFormats = [
  ["adts", adtsFormat],
  ["mp3", mp3Format],
  ["mp2", mp2Format],
] as const;

const findFrames = async (
  window: SourceWindow,
  start: number,
  { searched, proof }: { readonly searched: number; readonly proof: number },
): Promise<DetectedContainer | undefined> => {
  const bytes = await window.read(start, searched + proof * adtsFormat.maxFrameBytes);
  const isWhole = start + bytes.length >= window.size;
  for (let offset = 0; offset < Math.min(bytes.length, searched); offset += 1) {
    if (bytes[offset] !== 0xff) continue;
    for (const [container, format] of frameFormats) {
      const row = frameRow(bytes, offset, format, proof);
      const isProven = row.frames >= (offset === 0 ? proofAtStart : proof);
      // A clip shorter than that: nothing but frames from the first byte to the last.
      const fillsFile = offset === 0 && isWhole && row.frames > 0 && row.end === bytes.length;
      if (isProven || fillsFile) return { container, start: start + offset };
    }
  }
  return undefined;
};

/** How many frames of one stream follow each other from here, counting no more than a proof needs. */
const frameRow = (
  bytes: Uint8Array,
  start: number,
  format: FrameFormat,
  proof: number,
): { readonly frames: number; readonly end: number } => {
  const first = format.parse(bytes, start);
  let end = start;
  let frames = 0;
  while (frames < proof) {
    const frame = format.parse(bytes, end);
    if (frame?.signature !== first?.signature || frame?.channels !== first?.channels || !frame) break;
    if (end + frame.length > bytes.length) break;
    end += frame.length;
    frames += 1;
  }
  return { frames, end };
};
