import { audioKinds } from "../../audio/encode/audio-formats.ts";
import { withAlternatives } from "../../models/inference/keywords.ts";
import type { Word } from "../../models/inference/transcription.ts";
import { findLanguage } from "../../platform/catalogue/languages.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import { speakerTurns } from "../transcripts/speakers.ts";
import { stitch } from "../transcripts/stitch.ts";
import { toSubRip, toWebVtt } from "../transcripts/subtitles.ts";
import { hasTranscript, type StoredTranscription } from "./job.ts";
import { readTranscribedPieces, readTranscript } from "./job-objects.ts";
import type { JobResult, JobSegment, ResultFormat } from "./job-result.ts";
import { isReady } from "./job-stages.ts";
import { type JobName, jobObjects } from "./keys.ts";
import {
  expired,
  notCompleted,
  type ResultDependencies,
  type ResultQuery,
  type WrittenResult,
} from "./result-query.ts";
import { joinSpokenPieces } from "./spoken-recording.ts";
import type { JobTranscript } from "./transcribed-piece.ts";
import {
  readPartialTranslation,
  readSpokenParts,
  readTranslation,
  type SpokenPart,
  timedTranscript,
} from "./translated-recording.ts";

const transcriptOf = async (
  name: JobName,
  job: StoredTranscription,
  { partial }: Pick<ResultQuery, "partial">,
  store: ResultDependencies["store"],
): Promise<JobTranscript> => {
  if (hasTranscript(job)) {
    const transcript = await readTranscript(store, name);
    if (transcript) return transcript;
    throw expired();
  }
  if (!partial) throw notCompleted(job);
  return stitch(await readTranscribedPieces(store, name, job));
};

/** The segments and words of a transcript, with keywords that were probably said. */
const saidIn = (transcript: JobTranscript, job: StoredTranscription) =>
  withAlternatives(timedTranscript(transcript, job), job.keywords ?? []);

const certaintyOf = ({ confidence, reasons = [] }: JobTranscript) =>
  confidence === undefined ? {} : { confidence, reasons: [...reasons] };

const secondsOf = ({ audio_milliseconds: milliseconds }: StoredTranscription): number => milliseconds / 1_000;

/**
 * Returns what a job has transcribed so far, who speaks in it, and how sure it is.
 *
 * @throws AppError `not_found` for a result that has expired; the store's errors.
 */
export const readSegments = async (
  name: JobName,
  job: StoredTranscription,
  store: ResultDependencies["store"],
): Promise<{
  readonly segments: readonly JobSegment[];
  readonly words: readonly Word[];
  readonly speakers: NonNullable<JobResult["speakers"]>;
  readonly certainty: Pick<JobResult, "confidence" | "reasons">;
}> => {
  const transcript = await transcriptOf(name, job, { partial: true }, store);
  const { segments, words = [] } = saidIn(transcript, job);
  return {
    segments,
    words,
    certainty: certaintyOf(transcript),
    speakers: [],
    ...speakersOf(transcript, job),
  };
};

/** What is shown of a transcript: itself, or its translation. */
interface ShownTranscript {
  readonly transcript: JobTranscript;
  readonly language: string;
  /** The text of each segment in another language, and how it is spoken. */
  readonly translation?: { readonly texts: readonly string[]; readonly spoken: readonly SpokenPart[] };
}

/** How a segment is spoken: all of its parts are heard, or some are not. */
const speechOf = (spoken: readonly SpokenPart[]): NonNullable<JobResult["segments"]>[number]["speech"] => {
  if (spoken.length === 0) return undefined;
  return {
    fits: spoken.every(({ fits }) => fits),
    speed: spoken.reduce((highest, { speed }) => Math.max(highest, speed), 0),
  };
};

const translatedSegments = (
  segments: readonly JobSegment[],
  { texts, spoken }: NonNullable<ShownTranscript["translation"]>,
): NonNullable<JobResult["segments"]> => {
  const bySegment = Map.groupBy(spoken, ({ segment }) => segment);
  return segments.map(({ alternatives: _, confidence: __, ...segment }, index) => {
    const speech = speechOf(bySegment.get(index) ?? []);
    return { ...segment, text: texts[index] ?? "", ...(speech ? { speech } : {}) };
  });
};

const joinedTexts = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(" ");

/** A line for each turn of a speaker; all in one line where the recording has no speakers. */
const textLines = (
  { segments }: ReturnType<typeof timedTranscript>,
  texts: readonly string[] | undefined,
  { speaker_names: names }: StoredTranscription,
): string => {
  const said = segments.map(({ text, ...segment }, index) => ({ ...segment, text: texts?.[index] ?? text }));
  return speakerTurns(said, (label) => names[label] ?? label).join("\n");
};

const speakersOf = ({ speakers }: JobTranscript, { speaker_names: names }: StoredTranscription) =>
  speakers
    ? { speakers: speakers.map((speaker) => ({ ...speaker, name: names[speaker.label] ?? null })) }
    : {};

const writeTranscript = (
  { transcript, language, translation }: ShownTranscript,
  job: StoredTranscription,
  format: ResultFormat,
): JobResult | WrittenResult => {
  const timed = { ...saidIn(transcript, job), speakerNames: job.speaker_names };
  const text = translation ? joinedTexts(translation.texts) : transcript.text;
  switch (format) {
    case "json":
      return {
        text,
        ...(translation
          ? { segments: translatedSegments(timed.segments, translation) }
          : (job.timestamps || job.speakers) && { segments: [...timed.segments] }),
        ...speakersOf(transcript, job),
        ...(translation ? {} : certaintyOf(transcript)),
        language,
        duration_seconds: secondsOf(job),
      };
    case "text":
      return {
        contentType: "text/plain; charset=utf-8",
        body: `${transcript.speakers ? textLines(timed, translation?.texts, job) : text}\n`,
      };
    case "srt":
      return {
        contentType: "application/x-subrip; charset=utf-8",
        body: toSubRip(timed, translation?.texts),
      };
    case "vtt":
      return { contentType: "text/vtt; charset=utf-8", body: toWebVtt(timed, translation?.texts) };
  }
};

/** @throws AppError `bad_request` for a language that is not a target of the job. */
const requireTarget = (job: StoredTranscription, requested: string, format: string): string => {
  const code = findLanguage(requested)?.code ?? requested;
  const languages = job.targets.filter((target) => format !== "audio" || target.format === "audio");
  if (languages.some(({ language }) => language === code)) return code;
  const names = [...new Set(languages.map(({ language }) => language))].join(", ");
  const what = format === "audio" ? "`audio`" : "this language";
  throw new AppError("bad_request", {
    message: `The job has no target with ${what}${names ? `; it has ${names}` : ""}.`,
    param: format === "audio" ? "format" : "language",
  });
};

const translationOf = async (
  name: JobName,
  job: StoredTranscription,
  language: string,
  { partial }: Pick<ResultQuery, "partial">,
  store: ResultDependencies["store"],
): Promise<NonNullable<ShownTranscript["translation"]>> => {
  if (!isReady(job, { language, format: "json" })) {
    if (!partial) throw notCompleted(job);
    const found = await readPartialTranslation(store, name, job, language);
    return { texts: Array.from(found, (text) => text ?? ""), spoken: [] };
  }
  const [texts, spoken] = await Promise.all([
    readTranslation(store, name, language),
    isReady(job, { language, format: "audio" }) ? readSpokenParts(store, name, language) : undefined,
  ]);
  if (!texts) throw expired();
  return { texts, spoken: spoken ?? [] };
};

/** Large enough to be fast, small enough for memory. */
const readBytes = 1_024 * 1_024;

async function* readInPieces(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < source.size; start += readBytes) {
    yield await source.read(start, Math.min(source.size, start + readBytes));
  }
}

/** The name of a file in a language: `council.lug.ogg`. */
const spokenFileName = ({ object_key: key }: StoredTranscription, language: string): string => {
  const name = key.slice(key.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  return `${name}.${language}.${audioKinds.opus.fileExtension}`;
};

const speechFile = async (
  name: JobName,
  job: StoredTranscription,
  language: string,
  { partial }: Pick<ResultQuery, "partial">,
  store: ResultDependencies["store"],
): Promise<WrittenResult> => {
  const { contentType } = audioKinds.opus;
  const file = { contentType, fileName: spokenFileName(job, language) };
  if (!isReady(job, { language, format: "audio" })) {
    if (!partial) throw notCompleted(job);
    return { ...file, body: joinSpokenPieces(store, name, job, language) };
  }
  const speech = await store.open(jobObjects.speech(name, language));
  if (!speech) throw expired();
  return { ...file, body: readInPieces(speech) };
};

/**
 * Returns the segments of a translation that is ready; `undefined` when it is not.
 *
 * @throws the store's errors.
 */
export const readTranslatedSegments = async (
  name: JobName,
  job: StoredTranscription,
  language: string,
  store: ResultDependencies["store"],
): Promise<JobResult["segments"] | undefined> => {
  if (!isReady(job, { language, format: "json" })) return undefined;
  const [{ segments }, translation] = await Promise.all([
    readSegments(name, job, store),
    translationOf(name, job, language, { partial: false }, store),
  ]);
  return translatedSegments(segments, translation);
};

/**
 * Returns the transcript of a recording or one of its translations.
 *
 * @throws AppError `bad_request`, `not_found`, `job_not_completed`; the store's errors.
 */
export const recordingResult = async (
  name: JobName,
  job: StoredTranscription,
  { language: requested, format = "json", partial }: ResultQuery,
  store: ResultDependencies["store"],
): Promise<JobResult | WrittenResult> => {
  if (requested === undefined && format !== "audio") {
    const transcript = await transcriptOf(name, job, { partial }, store);
    return writeTranscript({ transcript, language: job.language }, job, format);
  }
  const language = requireTarget(job, requested ?? "", format);
  if (format === "audio") return speechFile(name, job, language, { partial }, store);
  const translation = await translationOf(name, job, language, { partial }, store);
  const transcript = await transcriptOf(name, job, { partial }, store);
  return writeTranscript({ transcript, language, translation }, job, format);
};
