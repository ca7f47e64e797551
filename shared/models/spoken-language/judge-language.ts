import type { Segment, Transcription } from "../inference/transcription.ts";
import type { SourceLanguageDetector } from "../source-language/detector.ts";
import type { WordOrder } from "./word-order.ts";

/** A recording as a model heard it when it was requested in one language. */
export interface Hearing {
  /** ISO 639-3. */
  readonly language: string;
  readonly transcription: Transcription;
}

/** The languages of a recording. */
export interface JudgedLanguages {
  /** The language of most of it, ISO 639-3; `undefined` when no one speaks. */
  readonly language: string | undefined;
  /** What is spoken when, in order and without gaps; a single one where the language does not change. */
  readonly spans: readonly LanguageSpan[];
}

export interface LanguageSpan {
  readonly language: string;
  /** Seconds from the start of the recording. */
  readonly start: number;
  readonly end: number;
}

export interface JudgementTools {
  readonly detector: SourceLanguageDetector;
  readonly wordOrder: WordOrder;
}

/** What a text in another language than requested counts, in nats. */
const otherLanguage = 6;

/** What a text that repeats itself counts. */
const repeating = 3;

/** What silence counts for each second in which another hearing has words. */
const silencePerSecond = 0.3;

/** What a difference of the mean log probability counts for each second: models are often surer of a wrong language than of a right one. */
const logProbabilityPerSecond = 0.15;

/** What a log probability counts for each second that is like those where its language is spoken, in a recording that changes it. */
const likenessPerSecond = 0.3;
const maxLikeness = 2;

/** Of log probabilities. */
const minDeviation = 0.1;

/** How much more evidence texts must have to refute the log probabilities. */
const clearly = 6;

/** What a change of the language must bring. */
const changeCost = 4;

/** In seconds. */
const step = 0.5;

const minRepeatingWords = 8;
const minDistinctShare = 0.4;

/** Whether a text has few words that come again and again, as of models that do not find an end. */
const repeatsItself = (text: string): boolean => {
  const words = text.toLowerCase().split(/\s+/u);
  return words.length >= minRepeatingWords && new Set(words).size < minDistinctShare * words.length;
};

/** How much more a text looks like speech in its language than like a model's invention, in nats. */
const evidenceOfText = (
  text: string,
  previous: string,
  language: string,
  { detector, wordOrder }: JudgementTools,
): number => {
  const detected = detector.detect(text)?.code;
  const isOther = detected !== undefined && detected !== language;
  return (
    (isOther ? -otherLanguage : wordOrder(`${previous.split(/\s/u).at(-1)} ${text}`, language)) -
    (repeatsItself(text) ? repeating : 0)
  );
};

/** The evidence for a language in each step of a recording. */
interface Evidence {
  /** Of the texts, in nats. */
  readonly text: number[];
  readonly logProbabilities: number[];
}

const evidenceOf = (
  { language, transcription: { text, segments } }: Hearing,
  { seconds, steps }: { readonly seconds: number; readonly steps: number },
  tools: JudgementTools,
): Evidence => {
  const evidence: Evidence = {
    text: Array.from({ length: steps }, () => -silencePerSecond * step),
    logProbabilities: Array.from({ length: steps }, () => 0),
  };
  const said: readonly Segment[] = segments?.length ? segments : [{ start: 0, end: seconds, text }];
  for (const [index, segment] of said.entries()) {
    const first = Math.min(steps - 1, Math.floor(segment.start / step));
    const last = Math.max(first, Math.min(steps, Math.ceil(segment.end / step)) - 1);
    const previous = said[index - 1]?.text ?? "";
    const share = evidenceOfText(segment.text, previous, language, tools) / (last - first + 1);
    evidence.text.fill(share, first, last + 1);
    evidence.logProbabilities.fill(segment.details?.averageLogProbability ?? 0, first, last + 1);
  }
  return evidence;
};

/** The index of the largest number, the first one of equals. */
const indexOfMax = (numbers: readonly number[]): number =>
  numbers.reduce((best, each, index) => (each > (numbers[best] ?? 0) ? index : best), 0);

/** The most probable language of each step, where every change costs something (Viterbi's algorithm). */
const likeliestPath = (evidence: readonly (readonly number[])[], steps: number): number[] => {
  let scores = evidence.map(() => 0);
  const origins: number[][] = [];
  for (let at = 0; at < steps; at += 1) {
    const best = indexOfMax(scores);
    const from = scores.map((score, index) => (score >= (scores[best] ?? 0) - changeCost ? index : best));
    origins.push(from);
    scores = from.map(
      (origin, index) =>
        (scores[origin] ?? 0) - (origin === index ? 0 : changeCost) + (evidence[index]?.[at] ?? 0),
    );
  }
  const path: number[] = [];
  let state = indexOfMax(scores);
  for (const from of origins.toReversed()) {
    path.push(state);
    state = from[state] ?? state;
  }
  return path.reverse();
};

const sumAlong = (path: readonly number[], evidence: readonly (readonly number[])[]): number =>
  path.reduce((sum, state, at) => sum + (evidence[state]?.[at] ?? 0), 0);

/**
 * Whether the model is surer of other languages than of those that the texts clearly show: then its log probabilities mislead, and would
 * also where a language ends.
 */
const misleads = (path: readonly number[], evidence: readonly Evidence[]): boolean => {
  const texts = evidence.map(({ text }) => text);
  const surest = path.map((_, at) => {
    const others = evidence.map(({ logProbabilities }, index) =>
      index === path[at] ? Number.NEGATIVE_INFINITY : (logProbabilities[at] ?? 0),
    );
    return indexOfMax(others);
  });
  const logProbabilities = evidence.map((each) => each.logProbabilities);
  return (
    sumAlong(path, texts) - sumAlong(surest, texts) >= clearly &&
    sumAlong(path, logProbabilities) < sumAlong(surest, logProbabilities)
  );
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/**
 * How much more a log probability is like those where the texts show its language than like those where they show another, in each step:
 * a model can be surer of a language in any case, or of what it invents.
 */
const likeness = (logProbabilities: readonly number[], isSpoken: (at: number) => boolean): number[] => {
  const spoken = meanOf(logProbabilities.filter((_, at) => isSpoken(at)));
  const other = meanOf(logProbabilities.filter((_, at) => !isSpoken(at)));
  const squares = logProbabilities.map((value, at) => (value - (isSpoken(at) ? spoken : other)) ** 2);
  const variance = meanOf(squares) + minDeviation ** 2;
  return logProbabilities.map((value) => {
    const ratio = ((value - other) ** 2 - (value - spoken) ** 2) / (2 * variance);
    return Math.max(-maxLikeness, Math.min(maxLikeness, ratio));
  });
};

/** The language of each step: by the texts alone, if the log probabilities are unknown or mislead. */
const judgeSteps = (evidence: readonly Evidence[], isSure: boolean, steps: number): number[] => {
  const weigh = (weights: (logProbabilities: readonly number[], state: number) => readonly number[]) =>
    likeliestPath(
      evidence.map(({ text, logProbabilities }, state) => {
        const weighed = weights(logProbabilities, state);
        return text.map((nats, at) => nats + (weighed[at] ?? 0) * step);
      }),
      steps,
    );
  const path = weigh(() => []);
  if (!isSure) return path;
  if (new Set(path).size > 1)
    return weigh((logProbabilities, state) =>
      likeness(logProbabilities, (at) => path[at] === state).map((nats) => nats * likenessPerSecond),
    );
  return misleads(path, evidence)
    ? path
    : weigh((logProbabilities) => logProbabilities.map((each) => each * logProbabilityPerSecond));
};

const hasLogProbabilities = ({ transcription: { segments } }: Hearing): boolean =>
  segments?.every(({ details }) => details?.averageLogProbability !== undefined) ?? false;

const secondsIn = (spans: readonly LanguageSpan[], language: string): number =>
  spans.reduce((sum, span) => sum + (span.language === language ? span.end - span.start : 0), 0);

/**
 * Judges which language is spoken when, from what a model heard when it was requested in each candidate. Such models respond in the
 * requested language in any case, so the words alone show little: their order counts most, then the model's log probabilities and
 * what the detector of languages says.
 *
 * @param hearings in the order of the caller's preference, which decides between equals.
 * @param seconds the length of the recording.
 */
export const judgeLanguages = (
  hearings: readonly Hearing[],
  seconds: number,
  tools: JudgementTools,
): JudgedLanguages => {
  const spoken = hearings.filter(({ transcription }) => transcription.text !== "");
  const [first] = spoken;
  if (!first) return { language: undefined, spans: [] };
  const steps = Math.max(1, Math.ceil(seconds / step));
  const evidence = spoken.map((hearing) => evidenceOf(hearing, { seconds, steps }, tools));
  const path = judgeSteps(evidence, spoken.every(hasLogProbabilities), steps);
  const spans: LanguageSpan[] = [];
  for (const [at, state] of path.entries()) {
    const { language } = spoken[state] ?? first;
    const end = Math.min(seconds, (at + 1) * step);
    const last = spans.at(-1);
    if (last?.language === language) spans.splice(-1, 1, { ...last, end });
    else spans.push({ language, start: at * step, end });
  }
  const most = indexOfMax(spoken.map(({ language }) => secondsIn(spans, language)));
  return { language: spoken[most]?.language, spans };
};
