import type { CalibratedLanguage, CalibratedSignal } from "../../platform/catalogue/stage-catalogue.ts";
import {
  type DoubtReason,
  doubtReasons,
  type Segment,
  type TextConfidence,
  type Transcriber,
  type Transcription,
  type Word,
} from "./transcription.ts";

/** Reads a curve: between its points in a straight line, beyond them as at its ends. */
export const readCurve = (points: NonNullable<CalibratedSignal["curve"]>, score: number): number => {
  const next = points.findIndex(([at]) => at >= score);
  const [above, right = 0] = points[next] ?? points.at(-1) ?? [];
  const [below, rightBelow] = points[next - 1] ?? [];
  if (above === undefined || below === undefined || rightBelow === undefined) return right;
  return rightBelow + ((right - rightBelow) * (score - below)) / (above - below);
};

/** The bounds at which models of the Whisper family doubt their own text. */
const minLogProbability = -1;
const maxNoSpeech = 0.6;
const maxCompression = 2.4;

/** What each doubt leaves of the score: the calibration decides what that means. */
const doubtful = 0.5;

type Said = Pick<Segment, "details">;

/** Why a segment is doubtful. @param isOtherLanguage whether the text does not look like its language. */
const doubtsOf = ({ details }: Said, isOtherLanguage: boolean): DoubtReason[] => {
  const found: Partial<Record<DoubtReason, boolean>> = {
    improbable: (details?.averageLogProbability ?? 0) < minLogProbability,
    silence: (details?.noSpeechProbability ?? 0) > maxNoSpeech,
    repetition: (details?.compressionRatio ?? 0) > maxCompression,
    other_language: isOtherLanguage,
  };
  return doubtReasons.filter((reason) => found[reason]);
};

/** How sure a model is: its own probability, less for each doubt that this does not show. */
const scoreOf = (probability: number, doubts: readonly DoubtReason[]): number =>
  Math.min(1, Math.max(0, probability)) *
  doubtful ** doubts.filter((reason) => reason !== "improbable").length;

const probabilityOf = ({ details }: Said): number | undefined =>
  details?.averageLogProbability === undefined ? undefined : Math.exp(details.averageLogProbability);

/** A part of a transcript with what calibrations are about. */
export interface ScoredSegment {
  readonly segment: Segment;
  readonly doubts: readonly DoubtReason[];
  /** `undefined` when the model does not report how probable it is. */
  readonly score: number | undefined;
}

/** Scores the segments of a transcript. */
export const scoreSegments = (segments: readonly Segment[], isOtherLanguage: boolean): ScoredSegment[] =>
  segments.map((segment) => {
    const doubts = doubtsOf(segment, isOtherLanguage);
    const probability = probabilityOf(segment);
    return { segment, doubts, score: probability === undefined ? undefined : scoreOf(probability, doubts) };
  });

/** The segment in which the middle of a word is, or the one before it. */
const segmentOf = ({ start, end }: Word, scored: readonly ScoredSegment[]): ScoredSegment | undefined =>
  scored.findLast(({ segment }) => 2 * segment.start <= start + end);

/** Scores a word by its own probability and the doubts of its segment; `undefined` when the model does not report it. */
export const scoreWord = (word: Word, scored: readonly ScoredSegment[]): number | undefined => {
  if (word.probability === undefined) return undefined;
  return scoreOf(word.probability, segmentOf(word, scored)?.doubts ?? []);
};

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

const countWords = (text: string): number => text.split(/\s+/u).filter((word) => word !== "").length;

const withConfidence = <Text extends Segment | Word>(text: Text, confidence: number | undefined): Text =>
  confidence === undefined ? text : { ...text, confidence: rounded(confidence) };

/** A reason counts for a whole transcript from this share of its words. */
const minReasonShare = 0.1;

/** The confidence of a whole transcript from that of its segments; nothing when one of them has none. */
export const confidenceOf = (
  segments: readonly Pick<Segment, "confidence" | "reasons" | "text">[],
): TextConfidence => {
  const said = segments.filter(({ text }) => countWords(text) > 0);
  const total = said.reduce((sum, { text }) => sum + countWords(text), 0);
  if (total === 0) return {};
  let [sum, counts] = [0, new Map<DoubtReason, number>()];
  for (const { text, confidence, reasons = [] } of said) {
    if (confidence === undefined) return {};
    const count = countWords(text);
    sum += confidence * count;
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  const reasons = doubtReasons.filter((reason) => (counts.get(reason) ?? 0) >= minReasonShare * total);
  return { confidence: rounded(sum / total), reasons };
};

/** Reads a curve at a score; `undefined` without either. */
const confidenceAt = ({ curve }: CalibratedSignal, score: number | undefined): number | undefined =>
  curve && score !== undefined ? readCurve(curve, score) : undefined;

/** The confidence of a word by its own probability, or else by that of its segment. */
const wordConfidence = (
  word: Word,
  scored: readonly ScoredSegment[],
  { words, segments }: CalibratedLanguage,
): number | undefined =>
  confidenceAt(words, scoreWord(word, scored)) ?? confidenceAt(segments, segmentOf(word, scored)?.score);

/** The confidence of segments by their words where all of these have one, or else by their own score. */
const segmentConfidence = (
  { segment, score }: ScoredSegment,
  words: readonly Word[],
  { segments }: CalibratedLanguage,
): number | undefined => {
  const own = words.filter(({ start, end }) => {
    const middle = (start + end) / 2;
    return middle >= segment.start && middle <= segment.end;
  });
  const known = own.flatMap(({ confidence }) => confidence ?? []);
  if (known.length > 0 && known.length === own.length && own.length === countWords(segment.text))
    return known.reduce((sum, each) => sum + each, 0) / known.length;
  return confidenceAt(segments, score);
};

/**
 * Adds to a transcript how often such texts are right, by a calibration. Without a curve for what the model reports, the field is
 * missing.
 *
 * @param isOtherLanguage whether the text does not look like its language.
 */
export const withConfidences = (
  transcription: Transcription,
  calibrated: CalibratedLanguage,
  isOtherLanguage: boolean,
): Transcription => {
  const { segments, words } = transcription;
  if (!segments?.length) return transcription;
  const scored = scoreSegments(segments, isOtherLanguage);
  const said = words?.map((word) => withConfidence(word, wordConfidence(word, scored, calibrated)));
  const judged = scored.map((each): Segment => {
    const confidence = segmentConfidence(each, said ?? [], calibrated);
    const { segment, doubts } = each;
    if (confidence === undefined) return segment;
    return { ...withConfidence(segment, confidence), ...(doubts.length > 0 ? { reasons: doubts } : {}) };
  });
  return { ...transcription, segments: judged, ...(said ? { words: said } : {}), ...confidenceOf(judged) };
};

/** What decides how sure a transcript is. */
export interface ConfidenceTools {
  /** By ISO 639-3 code. */
  readonly languages: Readonly<Record<string, CalibratedLanguage>>;
  /** The language that a text looks like; `undefined` when that is not certain. */
  readonly detect: (text: string) => string | undefined;
}

/** Whether something that a model reports says what is right in a language. */
const isCalibrated = (calibrated: CalibratedLanguage | undefined): calibrated is CalibratedLanguage =>
  calibrated !== undefined && (calibrated.words.curve !== null || calibrated.segments.curve !== null);

/**
 * A transcriber whose transcripts say how sure they are, in the languages that are calibrated. It requests what that needs only for
 * requests that want to know; no request calls a model more often.
 */
export const createConfidentTranscriber = (
  transcriber: Transcriber,
  { languages, detect }: ConfidenceTools,
): Transcriber => ({
  transcribe: async (request, options) => {
    const known = request.language === undefined ? undefined : languages[request.language];
    const needsMore = request.confidence === true && isCalibrated(known);
    const transcription = await transcriber.transcribe(
      needsMore ? { ...request, scores: known.words.curve === null ? "segments" : "words" } : request,
      options,
    );
    const language = request.language ?? transcription.language;
    const calibrated = language === undefined ? undefined : languages[language];
    if (!isCalibrated(calibrated)) return transcription;
    const seen = detect(transcription.text);
    return withConfidences(transcription, calibrated, seen !== undefined && seen !== language);
  },
});
