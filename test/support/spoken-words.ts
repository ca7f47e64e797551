import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startSampleInference } from "@language-ai/sample-models";
import { wavHeaderBytes } from "./wav.ts";

/**
 * Recordings of hours with known words, and a model server that hears every one of them: the sample voice speaks some
 * words once, and the recording is assembled from this audio, with silence between the words.
 */

const vocabulary =
  "water river mountain forest village market teacher doctor farmer harvest season morning evening children mother father " +
  "brother sister country capital council meeting question answer number letter history science music dancing running reading " +
  "writing cooking fishing building carrying waiting listening speaking";

export const sampleRate = 8_000;

/** Of unsigned samples of eight bits. */
const silence = 128;

/** No word contains a pause this long; the pauses between words are longer. */
const minPause = 0.3;

const isSilent = (sample: number | undefined): boolean => sample === silence;

const trimmed = (audio: Buffer): Buffer => {
  const start = audio.findIndex((sample) => !isSilent(sample));
  return start < 0
    ? Buffer.alloc(0)
    : audio.subarray(start, audio.findLastIndex((sample) => !isSilent(sample)) + 1);
};

/** Every third sample of the sample server's 24,000 a second, in eight bits. */
const thin = (wav: Buffer): Buffer => {
  const data = wav.indexOf("data") + 8;
  const samples = Math.floor((wav.length - data) / 6);
  return Buffer.from(
    Array.from({ length: samples }, (_, index) => (wav.readInt16LE(data + index * 6) >> 8) + silence),
  );
};

/** The maximum run of silence in the audio, in samples. */
const maxGap = (audio: Buffer): number => {
  let longest = 0;
  let current = 0;
  for (const sample of audio) {
    current = isSilent(sample) ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
};

/** The audio of each word as the sample voice speaks it. */
export type Voice = ReadonlyMap<string, Buffer>;

/** Has the sample voice speak every word of a small vocabulary. */
export const speakWords = async (): Promise<Voice> => {
  const server = await startSampleInference({ voices: [{ code: "eng", voices: ["reader"] }] });
  try {
    const spoken = new Map<string, Buffer>();
    for (const word of vocabulary.split(" ")) {
      const response = await fetch(`${server.baseUrl}/audio/speech`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ model: "sample-tts", voice: "reader", input: word, language: "eng" }),
      });
      const audio = trimmed(thin(Buffer.from(await response.arrayBuffer())));
      if (audio.length > 0 && maxGap(audio) < (minPause / 2) * sampleRate) spoken.set(word, audio);
    }
    return spoken;
  } finally {
    await server.close();
  }
};

/** A recording and the words in it, in their order. */
export interface SpokenRecording {
  readonly wav: Buffer;
  readonly words: readonly string[];
}

/** Numbers that look random and are the same each time. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** A recording of exactly this many seconds. */
export const recordWords = (voice: Voice, seconds: number, seed: number): SpokenRecording => {
  const next = numbers(seed);
  const known = [...voice];
  const audio = Buffer.alloc(seconds * sampleRate, silence);
  const words: string[] = [];
  for (let at = sampleRate; ; ) {
    const [word, spoken] = known[next(known.length)] ?? ["", Buffer.alloc(0)];
    if (at + spoken.length > audio.length) break;
    spoken.copy(audio, at);
    words.push(word);
    at += spoken.length + Math.floor((minPause + next(1_000) / 1_000) * sampleRate);
  }
  return { wav: Buffer.concat([header(audio.length), audio]), words };
};

const header = (bytes: number): Buffer => {
  const sixteenBits = wavHeaderBytes(bytes, { sampleRate, stated: true });
  sixteenBits.writeUInt32LE(sampleRate, 28);
  sixteenBits.writeUInt16LE(1, 32);
  sixteenBits.writeUInt16LE(8, 34);
  return sixteenBits;
};

const hear = (voice: Voice, audio: Buffer) => {
  const known = new Map([...voice].map(([word, spoken]) => [spoken.toString("latin1"), word]));
  const words: { word: string; start: number; end: number }[] = [];
  const pause = (minPause / 2) * sampleRate;
  for (let start = 0; start < audio.length; start += 1) {
    if (isSilent(audio[start])) continue;
    let end = start;
    for (let at = start, quiet = 0; at < audio.length && quiet < pause; at += 1) {
      quiet = isSilent(audio[at]) ? quiet + 1 : 0;
      if (quiet === 0) end = at + 1;
    }
    // At the ends of a piece words are cut off: a model hears something of them.
    const word = known.get(audio.toString("latin1", start, end)) ?? "uh";
    words.push({ word, start: start / sampleRate, end: end / sampleRate });
    start = end;
  }
  return words;
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
};

/** A model's server that hears the words of such recordings. */
export interface Listener {
  readonly baseUrl: string;
  /** How many recordings it was given. */
  calls(): number;
  close(): Promise<void>;
}

/** Words that follow each other become a segment. */
const segmentsOf = (words: ReturnType<typeof hear>, wordsOfSegment: number) =>
  Array.from({ length: Math.ceil(words.length / wordsOfSegment) }, (_, id) => {
    const own = words.slice(id * wordsOfSegment, (id + 1) * wordsOfSegment);
    const text = own.map(({ word }) => word).join(" ");
    return { id, start: own[0]?.start ?? 0, end: own.at(-1)?.end ?? 0, text };
  });

/** @param milliseconds how long it takes for a recording. @param wordsOfSegment how many words a segment has. */
export const startListener = async (
  voice: Voice,
  milliseconds: number,
  wordsOfSegment = 1,
): Promise<Listener> => {
  let calls = 0;
  const respond = async (request: IncomingMessage): Promise<string> => {
    const body = await bodyOf(request);
    calls += 1;
    await sleep(milliseconds);
    const wav = body.subarray(body.indexOf("RIFF"));
    const data = wav.indexOf("data");
    const words = hear(voice, wav.subarray(data + 8, data + 8 + wav.readUInt32LE(data + 4)));
    const segments = segmentsOf(words, wordsOfSegment);
    return JSON.stringify({
      text: words.map(({ word }) => word).join(" "),
      segments,
      words,
      duration: 0,
      language: "en",
    });
  };
  const server = createServer((request, response) => {
    void respond(request).then(
      (text) => response.writeHead(200, { "Content-Type": "application/json" }).end(text),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls: () => calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
