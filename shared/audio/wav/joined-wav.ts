import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { asBuffer, hasText, uint32LittleEndian } from "../reading/bytes.ts";
import { readWavHeader, type SampleFormat } from "./wav-header.ts";
import { bytesPerSample, isSameFormat } from "./wav-structure.ts";

/** Servers that do not know a length write the maximum of some integer type, or nearly that. */
const minUnknownLength = 0x7f_00_00_00;

/** The length that a header announces, if its writer knew it. */
export const announcedLength = (length: number | undefined): number | undefined =>
  length === undefined || length === 0 || length >= minUnknownLength ? undefined : length;

const fileTag = "RIFF";
const fileHeadBytes = 12;
const chunkHeadBytes = 8;

/** More than any description of audio has: what looks like a larger chunk is audio. */
const maxChunkBytes = 1 << 20;

/** Where the next WAV file starts, or may start once more has come; by default at the end. */
const findFile = (bytes: Buffer): number => {
  for (let at = bytes.indexOf(fileTag); at >= 0; at = bytes.indexOf(fileTag, at + 1)) {
    if ("WAVE".startsWith(bytes.toString("latin1", at + 8, at + fileHeadBytes))) return at;
  }
  for (let length = fileTag.length - 1; length > 0; length -= 1) {
    if (bytes.toString("latin1", bytes.length - length) === fileTag.slice(0, length))
      return bytes.length - length;
  }
  return bytes.length;
};

const nothing = Buffer.alloc(0);

/**
 * Reads the samples of a WAV stream after its first header, in pieces that are cut anywhere. Some servers send a file for each
 * sentence: their samples are joined. Chunks without samples are left out; what is no chunk is audio, also behind the announced end.
 */
export class JoinedWav {
  readonly #format: SampleFormat;
  #unread: Buffer = nothing;
  #next: "audio" | "other chunk" | "head" = "audio";
  /** How much of the audio or the other chunk is still to come. */
  #left = 0;
  #hasOddLength = false;

  /** @param audioBytes of the first file, where its header announces them. */
  constructor(format: SampleFormat, audioBytes: number | undefined) {
    this.#format = format;
    this.#startAudio(audioBytes);
  }

  /** @returns the samples of the next piece. @throws UnreadableAudioError for a file in another format. */
  read(piece: Uint8Array): readonly Uint8Array[] {
    this.#unread = this.#unread.length === 0 ? asBuffer(piece) : Buffer.concat([this.#unread, piece]);
    const samples: Uint8Array[] = [];
    while (
      this.#unread.length > 0 &&
      (this.#next === "head" ? this.#readHead() : this.#readContent(samples))
    ) {}
    return samples;
  }

  /** @returns the last samples. @throws UnreadableAudioError when a file that has started is not complete. */
  end(): Uint8Array {
    const rest = this.#next === "head" ? this.#afterPadding() : this.#unread;
    this.#unread = nothing;
    if (this.#next === "other chunk") return nothing;
    const missing =
      this.#next === "audio" && this.#left < Number.POSITIVE_INFINITY ? this.#left - rest.length : 0;
    if (missing > 0 || (rest.length >= fileHeadBytes && hasText(rest, 0, fileTag)))
      throw new UnreadableAudioError("The stream ends inside a WAV file.");
    return rest.length < bytesPerSample(this.#format) ? nothing : rest;
  }

  #startAudio(length: number | undefined): void {
    this.#next = "audio";
    this.#left = length ?? Number.POSITIVE_INFINITY;
    this.#hasOddLength = length !== undefined && length % 2 === 1;
  }

  /** @returns whether there is more to read. */
  #readContent(samples: Uint8Array[]): boolean {
    const length = Math.min(findFile(this.#unread), this.#left);
    if (length > 0 && this.#next === "audio") samples.push(this.#unread.subarray(0, length));
    this.#unread = this.#unread.subarray(length);
    this.#left -= length;
    const isAtEnd = this.#left === 0 || this.#unread.length >= fileHeadBytes;
    if (isAtEnd) this.#next = "head";
    return isAtEnd;
  }

  /** A byte fills up an odd length; some servers leave it out. */
  #afterPadding(): Buffer {
    return this.#hasOddLength && this.#unread[0] === 0 ? this.#unread.subarray(1) : this.#unread;
  }

  /** Reads the start of a file or a chunk. @returns whether it is complete. */
  #readHead(): boolean {
    const head = this.#afterPadding();
    if (head.length < fileHeadBytes) return false;
    if (hasText(head, 0, fileTag) && hasText(head, 8, "WAVE")) return this.#readFileHead(head);
    const size = uint32LittleEndian(head, 4);
    const isAudio = hasText(head, 0, "data") && size > 0;
    const isOther = /^[A-Za-z][\w ]{3}$/.test(head.toString("latin1", 0, 4)) && size <= maxChunkBytes;
    if (isAudio || isOther) this.#unread = head.subarray(chunkHeadBytes);
    this.#startAudio(isAudio ? announcedLength(size) : undefined);
    if (isOther && !isAudio) [this.#next, this.#left] = ["other chunk", size + (size % 2)];
    return true;
  }

  #readFileHead(file: Buffer): boolean {
    const header = readWavHeader(file);
    if (!header) return false;
    if (!isSameFormat(header.format, this.#format))
      throw new UnreadableAudioError("The stream continues with a WAV file in another format.");
    this.#unread = file.subarray(header.dataStart);
    this.#startAudio(announcedLength(header.dataBytes));
    return true;
  }
}
