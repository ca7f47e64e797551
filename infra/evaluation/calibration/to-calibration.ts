import { type ScoredSegment, scoreSegments, scoreWord } from "../../../shared/models/inference/confidence.ts";
import type { Segment } from "../../../shared/models/inference/transcription.ts";
import { sourceLanguageDetectorOnDemand } from "../../../shared/models/source-language/detector.ts";
import type { CalibratedLanguage, Calibration } from "../../../shared/platform/catalogue/stage-catalogue.ts";
import type { TranscriptionItem } from "../data/item.ts";
import type { HeardDetails } from "../run/outcome.ts";
import type { OutputRecord } from "../run/outputs.ts";
import { splitAtSpaces } from "../scores/words.ts";
import { fitCurve, type Sample } from "./fit-curve.ts";
import { findRightWords } from "./right-words.ts";

/** A segment of the service's response as models report it: what they do not report is 0 there. */
const toSegment = ({ start, end, text, ...details }: HeardDetails["segments"][number]): Segment => ({
  start,
  end,
  text,
  ...(details.avg_logprob === 0
    ? {}
    : {
        details: {
          ...{ seek: undefined, tokens: undefined, temperature: undefined },
          averageLogProbability: details.avg_logprob,
          compressionRatio: details.compression_ratio,
          noSpeechProbability: details.no_speech_prob,
        },
      }),
});

interface Heard {
  readonly item: TranscriptionItem;
  readonly heard: HeardDetails;
}

/** Words with their scores, those without any left out, and whether the reference of the recording has them. */
const samplesOf = (
  { id, transcript }: TranscriptionItem,
  words: readonly (readonly [text: string, score: number | undefined])[],
): Sample[] => {
  const right = findRightWords(
    words.map(([text]) => text),
    transcript,
  );
  return words.flatMap(([, score], index) =>
    score === undefined ? [] : [{ score, isRight: right[index] ?? false, recording: id }],
  );
};

const wordsOfSegment = ({ segment, score }: ScoredSegment): (readonly [string, number | undefined])[] =>
  splitAtSpaces(segment.text).map((word) => [word, score] as const);

const calibrateLanguage = (
  language: string,
  recordings: readonly Heard[],
  detect: (text: string) => string | undefined,
): CalibratedLanguage => {
  const samples = recordings.map(({ item, heard }) => {
    const seen = detect(heard.segments.map(({ text }) => text).join(" "));
    const scored = scoreSegments(heard.segments.map(toSegment), seen !== undefined && seen !== language);
    const words = heard.words.map(
      ({ word: text, ...said }) => [text, scoreWord({ ...said, text }, scored)] as const,
    );
    return {
      words: samplesOf(item, words),
      segments: samplesOf(item, scored.flatMap(wordsOfSegment)),
    };
  });
  return {
    recordings: recordings.length,
    words: fitCurve(samples.flatMap(({ words }) => words)),
    segments: fitCurve(samples.flatMap(({ segments }) => segments)),
  };
};

/** Fits how often words are right by what the models report, for each language of the recordings. */
export const toCalibration = (
  items: readonly TranscriptionItem[],
  records: ReadonlyMap<string, OutputRecord>,
  about: Pick<Calibration, "base_url" | "data" | "measured_at">,
): Calibration => {
  const detector = sourceLanguageDetectorOnDemand();
  const heard = items.flatMap((item): Heard[] => {
    const details = records.get(item.id)?.heard;
    return details ? [{ item, heard: details }] : [];
  });
  const languages = [...Map.groupBy(heard, ({ item }) => item.language)].map(
    ([language, recordings]) =>
      [language, calibrateLanguage(language, recordings, (text) => detector.detect(text)?.code)] as const,
  );
  return { version: 1, ...about, languages: Object.fromEntries(languages) };
};
