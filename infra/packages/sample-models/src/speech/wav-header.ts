import { sampleModels } from "../models.ts";
import { sampleRate } from "./samples.ts";

/** Says in a WAV file who made it (`ISFT`). A file that says so carries the text it speaks (`ICMT`). */
export const softwareName = "sample inference server";

/** The size of a chunk that is still being written; readers take all that comes. */
const unknownSize = 0xff_ff_ff_ff;

const bytesPerSample = 2;

/**
 * The beginning of a WAV file whose length is not known yet: 16 bits, mono, `sampleRate`. Its comment holds the text
 * that is spoken, before the samples, so that the file can be streamed.
 *
 * Source: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991), chapter 2
 */
export const wavHeader = (text: string): Buffer => {
  const tags = [tag("ISFT", softwareName), tag("IART", sampleModels.speech), tag("ICMT", text)];
  return Buffer.concat([
    chunkHeader("RIFF", unknownSize),
    Buffer.from("WAVE"),
    chunk("fmt ", sampleFormat()),
    chunk("LIST", Buffer.concat([Buffer.from("INFO"), ...tags])),
    chunkHeader("data", unknownSize),
  ]);
};

const sampleFormat = (): Buffer => {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0); // PCM
  format.writeUInt16LE(1, 2); // channels
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * bytesPerSample, 8);
  format.writeUInt16LE(bytesPerSample, 12);
  format.writeUInt16LE(bytesPerSample * 8, 14);
  return format;
};

/** Texts of an INFO list end with a NUL, which counts. */
const tag = (id: string, text: string): Buffer => chunk(id, Buffer.from(`${text}\0`, "utf8"));

/** Chunks start at even positions: one of odd length is followed by a byte that does not count. */
const chunk = (id: string, content: Buffer): Buffer =>
  Buffer.concat([chunkHeader(id, content.length), content, Buffer.alloc(content.length % 2)]);

const chunkHeader = (id: string, size: number): Buffer => {
  const header = Buffer.alloc(8, id, "latin1");
  header.writeUInt32LE(size, 4);
  return header;
};
