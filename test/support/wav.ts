const chunk = (id: string, content: Buffer, length = content.length): Buffer => {
  const header = Buffer.alloc(8, id, "latin1");
  header.writeUInt32LE(length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
};

const format = (sampleRate: number): Buffer => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(1, 0);
  bytes.writeUInt16LE(1, 2);
  bytes.writeUInt32LE(sampleRate, 4);
  bytes.writeUInt32LE(sampleRate * 2, 8);
  bytes.writeUInt16LE(2, 12);
  bytes.writeUInt16LE(16, 14);
  return bytes;
};

/** What a test says about a WAV file; by default 24 kHz, 16 bits, mono, its length unknown. */
export interface WavOptions {
  readonly sampleRate?: number;
  /** The length that the header states; `true` for the right one. */
  readonly stated?: number | true;
  /** Put into a LIST chunk before the samples, as servers do with the text. */
  readonly comment?: string;
}

/** The header of a WAV file with this many bytes of audio. */
export const wavHeaderBytes = (audioBytes: number, options: WavOptions = {}): Buffer => {
  const stated = options.stated === true ? audioBytes : (options.stated ?? 0xff_ff_ff_ff);
  const chunks = Buffer.concat([
    chunk("fmt ", format(options.sampleRate ?? 24_000)),
    ...(options.comment === undefined ? [] : [chunk("LIST", Buffer.from(`INFOICMT${options.comment}`))]),
    chunk("data", Buffer.alloc(0), stated),
  ]);
  const riff = options.stated === true ? 4 + chunks.length + audioBytes : 0xff_ff_ff_ff;
  return Buffer.concat([chunk("RIFF", Buffer.alloc(0), riff), Buffer.from("WAVE"), chunks]);
};

/** Audio in which every sample differs. */
export const audioBytes = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset + 2 <= length; offset += 2) bytes.writeUInt16LE((offset / 2) % 65_536, offset);
  return bytes;
};

/** A whole WAV file. */
export const wavFile = (audio: Buffer, options: WavOptions = {}): Buffer =>
  Buffer.concat([wavHeaderBytes(audio.length, options), audio]);

/** Seconds of noise, at a rate that keeps the file small. */
export const noise = (seconds: number, sampleRate = 1_000): Buffer => {
  const second = audioBytes(sampleRate * 2);
  const header = wavHeaderBytes(second.length * seconds, { sampleRate, stated: true });
  return Buffer.concat([header, ...Array.from({ length: seconds }, () => second)]);
};
