import { unknownSize } from "./wav-structure.ts";

const headerBytes = 44;

/**
 * The header of a WAV file with one channel of 16 bits.
 *
 * @param sampleRate in hertz
 * @param audioBytes how many bytes follow, if that is known
 */
export const monoHeader = (sampleRate: number, audioBytes?: number): Buffer => {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF", 0);
  header.writeUInt32LE(audioBytes === undefined ? unknownSize : headerBytes - 8 + audioBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(2 * sampleRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(audioBytes ?? unknownSize, 40);
  return header;
};

const silenceRate = 16_000;

/** A second of silence as a WAV file. */
export const silence = (): Buffer => {
  const samples = Buffer.alloc(2 * silenceRate);
  return Buffer.concat([monoHeader(silenceRate, samples.length), samples]);
};
