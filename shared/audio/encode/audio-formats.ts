import type { Speech } from "../wav/streamed-wav.ts";
import { audioSeconds, certainBytes, completeHeader, streamedHeader } from "../wav/streamed-wav.ts";
import { audioOf } from "./audio-of.ts";

/**
 * Formats of speech: as the model's server sent it (`wav`); MP3; Opus in Ogg; samples alone (`pcm`): 16 bits, little
 * endian, mono, 24 kHz.
 */
export type AudioFormat = "wav" | "mp3" | "opus" | "pcm";

export interface AudioKind {
  readonly contentType: string;
  /** Without the dot. */
  readonly fileExtension: string;
}

export const audioKinds = {
  wav: { contentType: "audio/wav", fileExtension: "wav" },
  mp3: { contentType: "audio/mpeg", fileExtension: "mp3" },
  opus: { contentType: "audio/ogg; codecs=opus", fileExtension: "ogg" },
  pcm: { contentType: "audio/pcm", fileExtension: "pcm" },
} as const satisfies Readonly<Record<AudioFormat, AudioKind>>;

/** Facts about the audio once all of it is encoded. */
export interface AudioEnd {
  /** How long it plays, to a millisecond. */
  readonly seconds: number;
  /** The start of the file with the correct lengths, to replace the first bytes that were sent. */
  readonly start: Uint8Array;
}

/** Speech in the format in which it is sent. */
export interface EncodedAudio extends AudioKind {
  /** In hertz. */
  readonly sampleRate: number;
  /** How long it will play, if the model's server said so before the first sample. */
  readonly statedSeconds: number | undefined;
  /** Must be read once, to its end; leaving it early stops the model. Throws what the speech throws. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** To be called after the pieces have ended. */
  end(): AudioEnd;
}

/** Encodes speech as a stream. @throws AppError before there are any pieces, and cancels the speech then. */
export type EncodeAudio = (format: AudioFormat, speech: Speech) => Promise<EncodedAudio>;

/** Speech that is being read, and the number of its bytes so far. */
export interface ReadSpeech {
  readonly speech: Speech;
  bytes: number;
}

async function* passOn(read: ReadSpeech): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield streamedHeader(read.speech.header);
    for await (const piece of audioOf(read.speech)) {
      read.bytes += piece.length;
      yield piece;
    }
  } finally {
    read.speech.cancel();
  }
}

/** Returns how long speech will play, if that is certain. */
export const statedSeconds = ({ header }: Speech): number | undefined => {
  const bytes = certainBytes(header);
  return bytes === undefined ? undefined : audioSeconds(header, bytes);
};

/** Speech as the model's server sent it, which needs no encoder. */
export const passOnAsWav = (speech: Speech): EncodedAudio => {
  const { header } = speech;
  const read: ReadSpeech = { speech, bytes: 0 };
  return {
    ...audioKinds.wav,
    sampleRate: header.format.sampleRate,
    statedSeconds: statedSeconds(speech),
    pieces: passOn(read),
    end: () => ({
      seconds: audioSeconds(header, read.bytes),
      start: completeHeader(header, read.bytes),
    }),
  };
};
