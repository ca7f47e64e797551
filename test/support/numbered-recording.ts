import { wavHeaderBytes } from "./wav.ts";

/**
 * A recording whose every second says which one it is: the value of its samples.
 *
 * @param from the number of the first.
 * @param sampleRate browsers play none below 3,000.
 */
export const numberedRecording = (seconds: number, from = 0, sampleRate = 1_000): Buffer => {
  const audio = Buffer.alloc(seconds * sampleRate * 2);
  for (let at = 0; at < audio.length; at += 2) audio.writeInt16LE(from + Math.floor(at / 2 / sampleRate), at);
  return Buffer.concat([wavHeaderBytes(audio.length, { sampleRate, stated: true }), audio]);
};

/** Hears the seconds of such a recording, each as a word; one that is cut is not heard. */
export const hearSeconds = (form: Buffer) => {
  const header = form.indexOf("RIFF");
  const sampleRate = form.readUInt32LE(header + 24);
  const start = form.indexOf("data", header) + 8;
  const length = form.readUInt32LE(start - 4);
  const segments: { start: number; end: number; text: string }[] = [];
  let from = 0;
  for (let at = 0; at <= length; at += 2) {
    const isEnd = at === length || form.readInt16LE(start + at) !== form.readInt16LE(start + from);
    if (!isEnd) continue;
    if (at - from === 2 * sampleRate) {
      const begin = from / 2 / sampleRate;
      const text = `second-${form.readInt16LE(start + from)}`;
      segments.push({ start: begin + 0.1, end: begin + 0.7, text });
    }
    from = at;
  }
  return { text: segments.map(({ text }) => text).join(" "), segments, seconds: length / 2 / sampleRate };
};

/** What a model should hear in a recording of this many seconds. */
export const everySecond = (seconds: number) =>
  Array.from({ length: seconds }, (_, second) => `second-${second}`);
