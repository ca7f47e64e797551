import { gzipSync } from "node:zlib";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import type { AudioFormat } from "../../../shared/audio/encode/audio-formats.ts";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import type { Speech } from "../../../shared/audio/wav/streamed-wav.ts";
import { readWavHeader } from "../../../shared/audio/wav/wav-header.ts";
import { median, shuffled } from "../statistics.ts";

/** What encoding costs against packing the same samples with gzip, which is what else could be done to send less. */
export interface EncodingCost {
  readonly name: string;
  /** CPU time against gzip's in the same round, median. */
  readonly ratio: number;
  readonly bound: number;
  /** For each second of audio. */
  readonly cpuMilliseconds: number;
  readonly bytesPerSecond: number;
}

const text =
  "Wasuze otya nno, ssebo? Nsanyuse nnyo okukulaba wano leero. Enkya nja kugenda mu kibuga okugula ebitabo by'abaana bange.";

/** A quarter of a minute that the sample server's voice has spoken, at 24 kHz. */
const speak = async (): Promise<Buffer> => {
  const server = await startSampleInference();
  try {
    const response = await fetch(`${server.baseUrl}/audio/speech`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model: sampleModels.speech, voice: "sample_lug_1", input: `${text} ${text}` }),
    });
    const file = Buffer.from(await response.arrayBuffer());
    return file.subarray(readWavHeader(file)?.dataStart ?? 0);
  } finally {
    await server.close();
  }
};

/** The same samples labelled with another rate: as much work as audio of that rate. */
const asSpeech = (audio: Buffer, sampleRate: number): Speech => ({
  header: {
    bytes: Buffer.alloc(44),
    format: { encoding: "pcm", sampleRate, channels: 1, bitsPerSample: 16 },
    audioBytes: undefined,
  },
  audio: (async function* () {
    for (let start = 0; start < audio.length; start += 16_384) yield audio.subarray(start, start + 16_384);
  })(),
  cancel: () => undefined,
});

const kinds: readonly {
  readonly format: AudioFormat;
  readonly sampleRate: number;
  readonly bound: number;
}[] = [
  { format: "mp3", sampleRate: 24_000, bound: 8 },
  { format: "opus", sampleRate: 24_000, bound: 13 },
  { format: "opus", sampleRate: 22_050, bound: 17 },
  { format: "pcm", sampleRate: 24_000, bound: 1 },
  { format: "pcm", sampleRate: 22_050, bound: 5 },
  { format: "wav", sampleRate: 24_000, bound: 0.1 },
];

const cpuOf = async (work: () => Promise<number> | number) => {
  const before = process.cpuUsage();
  const bytes = await work();
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1_000, bytes };
};

const encodedBytes = async (format: AudioFormat, speech: Speech): Promise<number> => {
  let bytes = 0;
  for await (const piece of (await encodeAudio(format, speech)).pieces) bytes += piece.length;
  return bytes;
};

/** Measures every format in every round, in an order that chance makes; the first round, which compiles, counts for nothing. */
export const measureEncoding = async (rounds: number): Promise<EncodingCost[]> => {
  const audio = await speak();
  const measured = kinds.map((kind) => ({
    ...kind,
    costs: [] as number[],
    ratios: [] as number[],
    bytes: 0,
  }));
  for (let round = 0; round <= rounds; round += 1) {
    const packed = await cpuOf(() => gzipSync(audio).length);
    for (const kind of shuffled(measured)) {
      const { milliseconds, bytes } = await cpuOf(() =>
        encodedBytes(kind.format, asSpeech(audio, kind.sampleRate)),
      );
      if (round === 0) continue;
      kind.costs.push(milliseconds);
      kind.ratios.push(milliseconds / packed.milliseconds);
      kind.bytes = bytes;
    }
  }
  return measured.map(({ format, sampleRate, bound, costs, ratios, bytes }) => {
    const seconds = audio.length / 2 / sampleRate;
    return {
      name: `${format} of ${sampleRate.toLocaleString("en")} Hz`,
      ratio: median(ratios),
      bound,
      cpuMilliseconds: median(costs) / seconds,
      bytesPerSecond: bytes / seconds,
    };
  });
};
