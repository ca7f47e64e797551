import { planPieces, readPiece } from "../../audio/pieces/cut-pieces.ts";
import { bufferSource, isLongerThan } from "../../audio/read-audio.ts";
import { NotAudioError, UnreadableAudioError } from "../../audio/reading/audio-errors.ts";
import type {
  Recording,
  Transcriber,
  Transcription,
  TranscriptionOptions,
  TranscriptionRequest,
} from "../../models/inference/transcription.ts";
import { joinHearings } from "../../models/spoken-language/join-hearings.ts";
import {
  type Hearing,
  type JudgedLanguages,
  type JudgementTools,
  judgeLanguages,
} from "../../models/spoken-language/judge-language.ts";
import { labelLanguages } from "../../models/spoken-language/label-languages.ts";
import { matchSpeakers } from "../transcripts/speakers.ts";
import type { MeasuredRecording } from "../uploads/open-upload.ts";
import { maxCandidates } from "./candidates.ts";

/** The length of what is tried of a recording. */
const trialSeconds = 30;

/** Where it is tried: a language that changes in the middle and back is seen in the middle only. */
const trialPositions = [0, 0.5, 1];

/** Bounds the plan of a long recording. */
const maxPlannedPieces = 300;

/** A recording whose language the caller does not name. */
export interface UnnamedRequest
  extends Omit<TranscriptionRequest, "detectsLanguage" | "language" | "recording"> {
  readonly recording: MeasuredRecording;
  /** The languages that it may be in, ISO 639-3: any where there are none, which only a server that detects can serve. */
  readonly candidates: readonly string[];
}

export interface UnnamedDependencies extends JudgementTools {
  readonly transcriber: Transcriber;
  /** Whether a model of this service detects languages. */
  readonly detectsLanguages: boolean;
}

/** A transcription, and how many seconds of audio models have transcribed for it. */
export interface HeardUnnamed {
  readonly transcription: Transcription;
  readonly seconds: number;
}

/** A part of a recording, as a file of its own. */
interface Excerpt {
  readonly recording: Recording;
  readonly seconds: number;
}

/** Returns the parts of a recording at these positions, from 0 to 1, if it is longer than a trial; otherwise, or where it cannot be cut, all of it. */
const excerptsOf = async (
  recording: MeasuredRecording,
  positions: readonly number[],
  signal: AbortSignal,
): Promise<Excerpt[]> => {
  const { source, durationSeconds } = recording;
  const whole: Excerpt = { recording, seconds: durationSeconds };
  if (!isLongerThan(recording, trialSeconds)) return [whole];
  const maxSeconds = Math.max(trialSeconds, durationSeconds / maxPlannedPieces);
  try {
    const pieces = await planPieces(source, recording, { signal, maxSeconds, overlapSeconds: 0 });
    const read = async (piece: (typeof pieces)[number]): Promise<Excerpt> => ({
      recording: { ...recording, source: bufferSource(await readPiece(source, piece, { signal })) },
      seconds: piece.end - piece.start,
    });
    if (pieces.length < 2) return [whole];
    const chosen = new Set(positions.map((position) => Math.round(position * (pieces.length - 1))));
    return await Promise.all(pieces.filter((_, index) => chosen.has(index)).map(read));
  } catch (error) {
    if (error instanceof NotAudioError || error instanceof UnreadableAudioError) return [whole];
    throw error;
  }
};

/** Transcribes a recording in each language. The first failure ends it. */
const hearIn = async (
  languages: readonly string[],
  request: Omit<TranscriptionRequest, "language" | "withSegments">,
  { transcriber }: UnnamedDependencies,
  signal: AbortSignal,
): Promise<Hearing[]> => {
  const ending = new AbortController();
  const options = { signal: AbortSignal.any([signal, ending.signal]) };
  try {
    return await Promise.all(
      languages.map(async (language) => ({
        language,
        transcription: await transcriber.transcribe({ ...request, withSegments: true, language }, options),
      })),
    );
  } finally {
    ending.abort();
  }
};

/** The same speakers have the same names in all hearings of a recording. */
const withOneName = (hearings: readonly Hearing[], seconds: number): Hearing[] => {
  const parts = hearings.map(({ transcription: { text, segments } }) => ({
    ...{ start: 0, end: seconds, text },
    ...(segments ? { segments } : {}),
  }));
  const matched = matchSpeakers(parts).parts;
  return hearings.map(({ language, transcription }, index) => {
    const segments = matched[index]?.segments;
    return { language, transcription: { ...transcription, ...(segments ? { segments } : {}) } };
  });
};

/** Transcribes a recording in each language, and takes from each what is spoken in it. */
const joinLanguages = async (
  languages: readonly string[],
  { recording, ...request }: UnnamedRequest,
  dependencies: UnnamedDependencies,
  signal: AbortSignal,
): Promise<HeardUnnamed> => {
  const { durationSeconds } = recording;
  const heard = await hearIn(languages, { ...request, recording }, dependencies, signal);
  const hearings = request.speakers ? withOneName(heard, durationSeconds) : heard;
  const judged = judgeLanguages(hearings, durationSeconds, dependencies);
  return { transcription: joinHearings(hearings, judged), seconds: durationSeconds * languages.length };
};

const languagesIn = (judged: readonly JudgedLanguages[]): string[] => [
  ...new Set(judged.flatMap(({ spans }) => spans.map(({ language }) => language))),
];

/** Transcribes a recording in the languages that its excerpts are in, which a trial in each candidate shows. */
const transcribeByTrial = async (
  request: UnnamedRequest,
  dependencies: UnnamedDependencies,
  { signal, onText }: TranscriptionOptions,
): Promise<HeardUnnamed> => {
  const { recording, candidates, ...others } = request;
  const excerpts = await excerptsOf(recording, trialPositions, signal);
  if (excerpts.length === 1) return joinLanguages(candidates, request, dependencies, signal);
  const judged: JudgedLanguages[] = [];
  let seconds = 0;
  for (const excerpt of excerpts) {
    const hearings = await hearIn(candidates, { recording: excerpt.recording }, dependencies, signal);
    judged.push(judgeLanguages(hearings, excerpt.seconds, dependencies));
    seconds += excerpt.seconds * candidates.length;
  }
  const [language = candidates[0], ...more] = languagesIn(judged);
  if (language === undefined) throw new Error("There are no candidates.");
  if (more.length > 0) {
    const joined = await joinLanguages([language, ...more], request, dependencies, signal);
    return { ...joined, seconds: seconds + joined.seconds };
  }
  const named = { ...others, recording, language };
  const transcription = await dependencies.transcriber.transcribe(named, { signal, onText });
  return { transcription: { ...transcription, language }, seconds: seconds + recording.durationSeconds };
};

/**
 * Transcribes a recording whose language is not named: by a server that detects it, otherwise in each candidate, of which the result
 * shows the right one. Of a recording that is longer than 30 seconds, only its ends and its middle are tried.
 *
 * @throws AppError as the transcriber does.
 */
export const transcribeUnnamed = async (
  request: UnnamedRequest,
  dependencies: UnnamedDependencies,
  { signal, onText }: TranscriptionOptions,
): Promise<HeardUnnamed> => {
  const { candidates, ...others } = request;
  const { durationSeconds } = request.recording;
  const deliver = (heard: HeardUnnamed): HeardUnnamed => {
    if (heard.transcription.text !== "") onText?.(heard.transcription.text);
    return heard;
  };
  let detecting = 0;
  if (dependencies.detectsLanguages) {
    const detected = await dependencies.transcriber.transcribe(
      { ...others, language: undefined, detectsLanguage: true, withSegments: true },
      { signal, ...(candidates.length === 0 ? { onText } : {}) },
    );
    const transcription = labelLanguages(detected, dependencies.detector);
    const heard = { transcription, seconds: durationSeconds };
    if (candidates.length === 0) return heard;
    const isCandidate = detected.language !== undefined && candidates.includes(detected.language);
    if (isCandidate || candidates.length > maxCandidates) return deliver(heard);
    detecting = durationSeconds;
  }
  const texts: string[] = [];
  const heard = await transcribeByTrial(request, dependencies, {
    signal,
    onText:
      onText &&
      ((text) => {
        texts.push(text);
        onText(text);
      }),
  });
  const total = { ...heard, seconds: heard.seconds + detecting };
  return texts.length > 0 ? total : deliver(total);
};

/**
 * Transcribes a recording in its language, if there is one candidate; otherwise as {@link transcribeUnnamed} does.
 *
 * @throws AppError as the transcriber does.
 */
export const transcribeIn = async (
  { candidates, ...request }: UnnamedRequest,
  dependencies: UnnamedDependencies,
  options: TranscriptionOptions,
): Promise<HeardUnnamed> => {
  const [language, ...others] = candidates;
  if (language === undefined || others.length > 0)
    return transcribeUnnamed({ ...request, candidates }, dependencies, options);
  const transcription = await dependencies.transcriber.transcribe({ ...request, language }, options);
  return { transcription, seconds: request.recording.durationSeconds };
};

/**
 * Returns the language at the start of a recording, and how many seconds of audio models have transcribed to determine it.
 *
 * @throws AppError as the transcriber does.
 */
export const detectSpokenLanguage = async (
  { recording, candidates }: Pick<UnnamedRequest, "candidates" | "recording">,
  dependencies: UnnamedDependencies,
  signal: AbortSignal,
): Promise<{ readonly language: string | undefined; readonly seconds: number }> => {
  const [start] = await excerptsOf(recording, [0], signal);
  if (!start) throw new Error("A recording has a first part.");
  let seconds = 0;
  if (dependencies.detectsLanguages) {
    const request = {
      recording: start.recording,
      language: undefined,
      detectsLanguage: true,
      withSegments: true,
    };
    const { language } = await dependencies.transcriber.transcribe(request, { signal });
    seconds += start.seconds;
    const isTrusted = candidates.length === 0 || candidates.length > maxCandidates;
    if (isTrusted || (language !== undefined && candidates.includes(language))) return { language, seconds };
  }
  const hearings = await hearIn(candidates, { recording: start.recording }, dependencies, signal);
  const { language } = judgeLanguages(hearings, start.seconds, dependencies);
  return { language, seconds: seconds + start.seconds * candidates.length };
};
