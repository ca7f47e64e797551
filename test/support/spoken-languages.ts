import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import { listenOnLoopback } from "./loopback-server.ts";
import { decodeForm } from "./multipart.ts";
import { wavFile } from "./wav.ts";

/** The languages of these recordings, by the codes that models know. */
const wireCodes = { eng: "en", lug: "lg", swa: "sw" } as const;
export type SpokenLanguage = keyof typeof wireCodes;
export const spokenLanguages: readonly SpokenLanguage[] = ["eng", "lug", "swa"];

/** Sentences of the Universal Declaration of Human Rights. */
const declaration = Map.groupBy(
  readFileSync(new URL("../fixtures/speech/declaration.tsv", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t")),
  ([language]) => language,
);

/** Sentences of a language. @param from the first of them. */
export const sentencesIn = (language: SpokenLanguage, from: number, count: number): string[] => {
  const all = (declaration.get(language) ?? []).map(([, text = ""]) => text);
  return Array.from({ length: count }, (_, index) => all[(from + index) % all.length] ?? "");
};

interface SpokenSentence {
  readonly language: SpokenLanguage;
  readonly text: string;
  /** Seconds in the recording. */
  readonly start: number;
  readonly end: number;
}

export interface SpokenRecording {
  readonly file: Buffer;
  readonly sentences: readonly SpokenSentence[];
}

const sampleRate = 8_000;
const secondBytes = 2 * sampleRate;
const headerBytes = 44;

/** The sample server speaks with 24,000 samples a second. */
const everyThird = (audio: Buffer): Buffer => {
  const samples = Buffer.alloc(2 * Math.floor(audio.length / 6));
  for (let at = 0; at < samples.length; at += 2) audio.copy(samples, at, 3 * at, 3 * at + 2);
  return samples;
};

/** Speaks sentences one after the other, each language with its own voice; Swahili's reads Luganda. */
export const speakAll = async (
  passages: readonly (readonly Pick<SpokenSentence, "language" | "text">[])[],
): Promise<SpokenRecording[]> => {
  const models = await startSampleInference({
    voices: spokenLanguages.map((code) => ({ code, voices: [`voice_${code}`] })),
  });
  const speak = async ({ language, text }: Pick<SpokenSentence, "language" | "text">): Promise<Buffer> => {
    const response = await fetch(`${models.baseUrl}/audio/speech`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        model: sampleModels.speech,
        input: text,
        voice: `voice_${language}`,
        response_format: "wav",
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    const wav = Buffer.from(await response.arrayBuffer());
    return everyThird(wav.subarray(wav.indexOf("data") + 8));
  };
  try {
    const recordings: SpokenRecording[] = [];
    const spoken = new Map<string, Buffer>();
    for (const passage of passages) {
      const pieces: Buffer[] = [];
      const sentences: SpokenSentence[] = [];
      for (const sentence of passage) {
        const start = Buffer.concat(pieces).length / secondBytes;
        const audio = spoken.get(sentence.text) ?? (await speak(sentence));
        spoken.set(sentence.text, audio);
        pieces.push(audio);
        sentences.push({ ...sentence, start, end: start + audio.length / secondBytes });
      }
      recordings.push({ file: wavFile(Buffer.concat(pieces), { sampleRate, stated: true }), sentences });
    }
    return recordings;
  } finally {
    await models.close();
  }
};

/** A reproducible order. */
const mixed = (words: readonly string[], seed: number): string[] =>
  words
    .map((word, index) => ({
      word,
      rank: Math.imul((seed + 1) * 2_654_435_761, index * 40_503 + 12_289) >>> 0,
    }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ word }) => word);

/** Words of a language, as many as a sentence has, which no one has said. */
const inventedWords = (language: SpokenLanguage, count: number, seed: number): string => {
  const words = sentencesIn(language, seed * 5, 4).flatMap((text) => text.split(" "));
  return mixed(words, seed).slice(0, count).join(" ");
};

/** How sure the model is of what was said, and of words that it invents in two recordings of three and in the third one. */
const logProbabilities = { right: -0.4, wrong: -0.7, surer: -0.25 };

/** A transcriber of these recordings, and of any part of them, that responds in the language that it is requested in. */
export const startObedientTranscriber = async (recordings: readonly SpokenRecording[]) => {
  const requested: (string | undefined)[] = [];
  /** Which recording a file is a part of, and the second at which it starts. */
  const locate = (file: Buffer) => {
    const audio = file.subarray(file.indexOf("data") + 8);
    for (const [index, recording] of recordings.entries()) {
      const at = recording.file.indexOf(audio, headerBytes);
      const seconds = audio.length / secondBytes;
      if (at >= 0) return { index, recording, from: (at - headerBytes) / secondBytes, seconds };
    }
    return undefined;
  };
  const hear = (file: Buffer, code: string | undefined) => {
    const located = locate(file);
    // The service checks that a server is well with a recording of its own.
    if (!located) return { text: "", segments: [] };
    const { index, recording, from, seconds } = located;
    const language = spokenLanguages.find((each) => wireCodes[each] === code) ?? "eng";
    const segments = recording.sentences.flatMap((sentence, at) => {
      const middle = (sentence.start + sentence.end) / 2 - from;
      if (middle < 0 || middle > seconds) return [];
      const isRight = sentence.language === language;
      const wrong = index % 3 === 0 ? logProbabilities.surer : logProbabilities.wrong;
      return {
        start: Math.max(0, sentence.start - from),
        end: Math.min(seconds, sentence.end - from),
        text: isRight
          ? sentence.text
          : inventedWords(language, sentence.text.split(" ").length, index * 7 + at),
        avg_logprob: isRight ? logProbabilities.right : wrong,
      };
    });
    return { text: segments.map(({ text }) => text).join(" "), segments };
  };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (!request.url?.endsWith("/audio/transcriptions")) {
        response.writeHead(404).end();
        return;
      }
      const form = await decodeForm(Buffer.concat(chunks), request.headers["content-type"]);
      const [file, language] = [form.get("file"), form.get("language")];
      if (!(file instanceof File)) throw new Error("There is no file.");
      const code = typeof language === "string" ? language : undefined;
      requested.push(code);
      const heard = hear(Buffer.from(await file.arrayBuffer()), code);
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(heard));
    })();
  });
  const { url, close } = await listenOnLoopback(server);
  return { baseUrl: `${url}/v1`, requested, close };
};
