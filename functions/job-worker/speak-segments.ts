import { burstRate } from "../../shared/audio/encode/join-bursts.ts";
import type { SpeechSynthesizer } from "../../shared/models/inference/speech.ts";
import { findSynthesisLanguage } from "../../shared/platform/catalogue/voices.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import {
  readTranscriptSegments,
  readTranslation,
  type SpeechPart,
  type StagePiece,
  speechParts,
  spokenAudio,
} from "../../shared/recordings/jobs/translated-recording.ts";
import { fillPiece } from "./fill-piece.ts";
import { encodeBurst } from "./speech/encode-burst.ts";
import { fitSpeech, gapSeconds, neededSeconds } from "./speech/fit-speech.ts";
import { readSpeech } from "./speech/read-speech.ts";

export interface SegmentSpeechDependencies {
  readonly store: Pick<ObjectStore, "open" | "put">;
  readonly synthesizer: SpeechSynthesizer;
}

/** How many parts are spoken at a time. Each is in memory as samples, at most {@link maxSpokenSeconds}. */
const partsAtOnce = 2;

/** No model says 600 characters more slowly: what is longer is a fault of the model. */
const maxSpokenSeconds = 120;

/**
 * Returns what is spoken of a translation, and when.
 *
 * @throws AppError `internal` when transcript or translation are missing; the store's errors.
 */
export const readSpeechParts = async (
  store: Pick<ObjectStore, "open">,
  name: JobName,
  job: StoredTranscription,
  language: string,
): Promise<SpeechPart[]> => {
  const [segments, texts] = await Promise.all([
    readTranscriptSegments(store, name, job),
    readTranslation(store, name, language),
  ]);
  if (!(segments && texts)) throw new AppError("internal");
  return speechParts(segments, texts, job.audio_milliseconds / 1_000);
};

const noSamples = new Float32Array();

/** Speaks a part in its slot of the recording's clock. */
const speakPart = async (
  { segment, text, start, slot }: SpeechPart,
  language: string,
  voice: string,
  synthesizer: SpeechSynthesizer,
  calls: { readonly signal: AbortSignal },
) => {
  // Two segments can start at the same time: the later one has no slot before the next.
  if (slot <= gapSeconds) {
    return { segment, speed: 1, fits: false, frame: encodeBurst(noSamples, start).frame, packets: [] };
  }
  const speech = await synthesizer.synthesize({ text, voice, language, sampling: {} }, calls);
  const seconds = Math.min(maxSpokenSeconds, neededSeconds(slot));
  const spoken = await readSpeech(speech, burstRate, seconds);
  const { samples, speed, fits } = fitSpeech(spoken, burstRate, slot);
  const { frame, packets } = encodeBurst(samples, start);
  return {
    ...{ segment, speed: Math.round(speed * 1_000) / 1_000, fits, frame },
    packets: packets.map((packet) => Buffer.from(packet).toString("base64")),
  };
};

/**
 * Speaks some parts of a translation and stores their audio.
 *
 * @returns the characters that were spoken.
 * @throws the errors of the store and the model.
 */
export const speakSegments = async (
  name: JobName,
  index: number,
  { language, from, to }: StagePiece,
  job: StoredTranscription,
  { store, synthesizer }: SegmentSpeechDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const voice = findSynthesisLanguage(language)?.voices[0];
  const parts = (await readSpeechParts(store, name, job, language)).slice(from, to);
  if (voice === undefined) throw new AppError("no_speaker_for_language");
  await fillPiece(
    name,
    index,
    { length: parts.length, schema: spokenAudio, atOnce: partsAtOnce },
    store,
    async (offset, calls) => {
      const part = parts[offset];
      if (!part) throw new AppError("internal");
      return speakPart(part, language, voice, synthesizer, calls);
    },
    signal,
  );
  return parts.reduce((sum, { text }) => sum + [...text].length, 0);
};
