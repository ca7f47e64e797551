import * as z from "zod";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { hasWords, splitSentences } from "../transcripts/split-sentences.ts";
import type { StoredTranscription } from "./job.ts";
import { readJson, readTranscript } from "./job-objects.ts";
import type { JobSegment } from "./job-result.ts";
import { type JobName, jobObjects } from "./keys.ts";
import type { JobStage } from "./target.ts";
import type { JobTranscript } from "./transcribed-piece.ts";

/** Some segments of one language: a piece of a stage. */
export const stagePiece = z.object({ language: z.string(), from: z.int(), to: z.int() });
export type StagePiece = z.infer<typeof stagePiece>;

/** The text of a segment in another language. */
export const translatedSegment = z.string();

/** The texts of all segments of a transcript in another language, in their order. */
const translatedSegments = z.array(translatedSegment);

/** How a part of a segment is spoken. */
export const spokenPart = z.object({
  /** The index of its segment. */
  segment: z.int(),
  speed: z.number(),
  fits: z.boolean(),
});
export type SpokenPart = z.infer<typeof spokenPart>;

/** A part that is spoken, with its Opus packets in base64. */
export const spokenAudio = spokenPart.extend({ frame: z.int(), packets: z.array(z.string()) });

/** Without times from the model, the whole text becomes one segment. */
export const timedTranscript = (
  { text, segments, words }: Pick<JobTranscript, "text" | "segments" | "words">,
  { audio_milliseconds: milliseconds }: Pick<StoredTranscription, "audio_milliseconds">,
) => ({
  segments:
    segments?.length || text === "" ? (segments ?? []) : [{ start: 0, end: milliseconds / 1_000, text }],
  words,
});

/** Returns the segments of a transcript that is complete; `undefined` when it does not exist. */
export const readTranscriptSegments = async (
  store: Pick<ObjectStore, "open">,
  name: JobName,
  job: StoredTranscription,
): Promise<readonly JobSegment[] | undefined> => {
  const transcript = await readTranscript(store, name);
  return transcript && timedTranscript(transcript, job).segments;
};

/** Returns how many characters of some segments are translated. Those without words stay as they are. */
export const charactersOf = (segments: readonly Pick<JobSegment, "text">[]): number =>
  segments.reduce((sum, { text }) => sum + (hasWords(text) ? [...text].length : 0), 0);

/** Returns the texts of all segments in a language; `undefined` when they do not exist. */
export const readTranslation = (store: Pick<ObjectStore, "open">, name: JobName, language: string) =>
  readJson(store, jobObjects.translation(name, language), translatedSegments);

/** Returns how the parts of all segments are spoken; `undefined` when they are not. */
export const readSpokenParts = (store: Pick<ObjectStore, "open">, name: JobName, language: string) =>
  readJson(store, jobObjects.spokenParts(name, language), z.array(spokenPart));

/** Returns the pieces of a stage. */
export const readStagePlan = (
  store: Pick<ObjectStore, "open">,
  name: JobName,
  { from }: Pick<JobStage, "from">,
) => readJson(store, jobObjects.stagePlan(name, from), z.array(stagePiece));

/** Returns the texts of a language that are translated so far; `undefined` for those that are missing. */
export const readPartialTranslation = async (
  store: Pick<ObjectStore, "open">,
  name: JobName,
  { stages, done }: Pick<StoredTranscription, "done" | "stages">,
  language: string,
): Promise<(string | undefined)[]> => {
  const stage = stages.find(({ kind, languages }) => kind === "translate" && languages.includes(language));
  const plan = (stage && (await readStagePlan(store, name, stage))) ?? [];
  const texts: (string | undefined)[] = [];
  for (const [offset, piece] of plan.entries()) {
    const index = (stage?.from ?? 0) + offset;
    if (piece.language !== language || !done.has(index)) continue;
    const stored = await readJson(store, jobObjects.piece(name, index), translatedSegments);
    for (const [position, text] of (stored ?? []).entries()) texts[piece.from + position] = text;
  }
  return texts;
};

/** A text to be spoken at its time. */
export interface SpeechPart {
  /** The index of its segment. */
  readonly segment: number;
  readonly text: string;
  /** In seconds of the recording. */
  readonly start: number;
  /** The seconds until the next part starts. */
  readonly slot: number;
}

/** What a model says in less than a minute. Longer segments are spoken in parts, which share the segment's time by their length. */
const maxPartCharacters = 600;

/** Returns what is spoken of a translation, and when. @param seconds the length of the recording. */
export const speechParts = (
  segments: readonly JobSegment[],
  texts: readonly string[],
  seconds: number,
): SpeechPart[] => {
  const parts = segments.flatMap(({ start, end }, segment) => {
    const own = splitSentences(texts[segment] ?? "", maxPartCharacters).filter(hasWords);
    const total = own.reduce((sum, text) => sum + text.length, 0);
    let before = 0;
    return own.map((text) => {
      const at = start + ((end - start) * before) / total;
      before += text.length;
      return { segment, text, start: at };
    });
  });
  return parts.map((part, index) => {
    const next = parts[index + 1]?.start ?? seconds;
    return { ...part, slot: Math.max(0, Math.min(next, seconds) - part.start) };
  });
};
