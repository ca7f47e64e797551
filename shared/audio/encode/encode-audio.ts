import { AppError } from "../../platform/errors/app-error.ts";
import type { Speech } from "../wav/streamed-wav.ts";
import { audioSeconds } from "../wav/streamed-wav.ts";
import {
  type AudioFormat,
  audioKinds,
  type EncodeAudio,
  type EncodedAudio,
  passOnAsWav,
  type ReadSpeech,
  statedSeconds,
} from "./audio-formats.ts";
import { audioOf } from "./audio-of.ts";
import type { SampleEncoder } from "./samples.ts";
import { createResampler, createSampleReader, toSixteenBits } from "./samples.ts";

interface OpenEncoder {
  /** In hertz, of the samples that it takes. */
  readonly sampleRate: number;
  readonly encoder: SampleEncoder;
}

/**
 * An encoder, loaded with the first audio that needs it. @param rates supported, in hertz; the first is the default.
 */
const codec =
  <Rate extends number>(
    rates: readonly [Rate, ...Rate[]],
    open: (sampleRate: Rate) => Promise<SampleEncoder>,
  ) =>
  async (audioRate: number): Promise<OpenEncoder> => {
    const sampleRate = rates.find((rate) => rate === audioRate) ?? rates[0];
    return { sampleRate, encoder: await open(sampleRate) };
  };

const nothing = new Uint8Array();

const codecs = {
  mp3: codec([24_000, 22_050, 16_000], async (sampleRate) =>
    (await import("./mp3.ts")).createMp3Encoder(sampleRate),
  ),
  opus: codec([24_000, 8_000, 12_000, 16_000, 48_000], async (sampleRate) =>
    (await import("./opus.ts")).createOpusEncoder(sampleRate),
  ),
  pcm: codec([24_000], async () => ({
    encode: toSixteenBits,
    finish: () => nothing,
    close: () => undefined,
  })),
} as const;

async function* encode(
  read: ReadSpeech,
  { encoder, sampleRate }: OpenEncoder,
  readSamples: (piece: Uint8Array) => Float32Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { speech } = read;
  const { sampleRate: audioRate } = speech.header.format;
  const resampler = audioRate === sampleRate ? undefined : createResampler(audioRate, sampleRate);
  try {
    for await (const piece of audioOf(speech)) {
      read.bytes += piece.length;
      const samples = readSamples(piece);
      const bytes = encoder.encode(resampler ? resampler.add(samples) : samples);
      if (bytes.length > 0) yield bytes;
    }
    const rest = resampler ? encoder.encode(resampler.finish()) : nothing;
    const last = Buffer.concat([rest, encoder.finish()]);
    if (last.length > 0) yield last;
  } finally {
    encoder.close();
    speech.cancel();
  }
}

/** @throws AppError `external_service_error` when the speech has an unknown sample format. */
const openEncoded = async (format: Exclude<AudioFormat, "wav">, speech: Speech): Promise<EncodedAudio> => {
  const { encoding, sampleRate, bitsPerSample } = speech.header.format;
  const readSamples = createSampleReader(speech.header.format);
  if (!readSamples) {
    throw new AppError("external_service_error", {
      cause: new Error(`Samples of the kind ${encoding} with ${bitsPerSample} bits cannot be encoded.`),
    });
  }
  const opened = await codecs[format](sampleRate);
  const read: ReadSpeech = { speech, bytes: 0 };
  return {
    ...audioKinds[format],
    sampleRate: opened.sampleRate,
    statedSeconds: statedSeconds(speech),
    pieces: encode(read, opened, readSamples),
    end: () => ({
      seconds: audioSeconds(speech.header, read.bytes),
      start: opened.encoder.start?.() ?? nothing,
    }),
  };
};

/**
 * Encodes speech as a stream. Audio of an unsupported rate is resampled.
 * @throws AppError `external_service_error` for an unknown sample format, and cancels the speech then.
 */
export const encodeAudio: EncodeAudio = async (format, speech) => {
  if (format === "wav") return passOnAsWav(speech);
  try {
    return await openEncoded(format, speech);
  } catch (error) {
    speech.cancel();
    throw error;
  }
};
