import { findLanguage, translationLanguages } from "../../platform/catalogue/languages.ts";
import { findSynthesisLanguage, synthesisLanguages } from "../../platform/catalogue/voices.ts";
import { compareText } from "../../platform/compare-text.ts";
import { hourSeconds } from "../../platform/durations.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredTranscription } from "./job.ts";
import { languagesOf } from "./job-stages.ts";
import { maxTargets, type TranscriptTarget, type targetFormats } from "./target.ts";

/** Speech in the length of the recording: 3 kB a second, which is sent through a function. */
const maxSpokenSeconds = 12 * hourSeconds;

/** People say fewer characters in a second, in any language. The translation of a recording never counts more. */
const charactersPerSecond = 20;

/** A target as a caller names it. */
export interface RequestedTarget {
  readonly language: string;
  readonly format: (typeof targetFormats)[number];
}

const named = (languages: readonly { readonly code: string; readonly name: string }[]) =>
  languages
    .map(({ code, name }) => ({ code, name }))
    .toSorted((one, other) => compareText(one.name, other.name));

const translated = named(translationLanguages);
const spoken = named(synthesisLanguages.filter(({ voices }) => voices.length > 0));

const listOf = (languages: readonly { readonly name: string }[]): string =>
  languages.map(({ name }) => name).join(", ");

const unsupported = (message: string, param: string): AppError =>
  new AppError("unsupported_language", {
    message: `${message} Supported languages: ${listOf(translated)}.`,
    param,
    extra: { supported_languages: translated },
  });

const chooseTarget = (
  { language, format }: RequestedTarget,
  source: string,
  param: string,
): TranscriptTarget => {
  const target = findLanguage(language, "translation");
  if (!target) throw unsupported(`Unsupported language '${language}'.`, param);
  if (target.code === source) {
    const message = `The recording is in ${target.name} already: leave this target out, its transcript is the job's own result.`;
    throw new AppError("same_language", { message, param });
  }
  if (format === "audio" && !findSynthesisLanguage(target.code)?.voices.length) {
    throw new AppError("no_speaker_for_language", {
      message: `${target.name} has no voices. Languages with voices: ${listOf(spoken)}.`,
      param,
      extra: { supported_languages: spoken },
    });
  }
  return { language: target.code, format };
};

/**
 * Returns the targets of a recording, each once.
 *
 * @throws AppError `unsupported_language`, also for a recording in a language that is not translated; `same_language`,
 * `no_speaker_for_language`; `file_too_large` for speech in the length of a recording that is too long.
 */
export const chooseTargets = (
  requested: readonly RequestedTarget[],
  recording: Pick<StoredTranscription, "audio_milliseconds" | "language">,
): TranscriptTarget[] => {
  const source = findLanguage(recording.language, "translation");
  if (!source) {
    const name = findLanguage(recording.language)?.name ?? recording.language;
    throw unsupported(`Recordings in ${name} cannot be translated.`, "language");
  }
  const targets = requested.map((target, index) =>
    chooseTarget(target, source.code, `targets[${index}].language`),
  );
  const hasSpeech = targets.some(({ format }) => format === "audio");
  if (hasSpeech && recording.audio_milliseconds > maxSpokenSeconds * 1_000) {
    throw new AppError("file_too_large", {
      message: `Speech can be created for recordings of up to ${maxSpokenSeconds / hourSeconds} hours.`,
      param: "targets",
    });
  }
  return withoutRepetitions(targets);
};

const withoutRepetitions = (targets: readonly TranscriptTarget[]): TranscriptTarget[] => [
  ...new Map(targets.map((target) => [`${target.language} ${target.format}`, target])).values(),
];

/** Returns the targets that are not among those of the job. @throws AppError `bad_request` when there would be too many. */
export const newTargets = (
  requested: readonly TranscriptTarget[],
  { targets }: Pick<StoredTranscription, "targets">,
): TranscriptTarget[] => {
  const all = withoutRepetitions([...targets, ...requested]);
  if (all.length <= maxTargets) return all.slice(targets.length);
  throw new AppError("bad_request", {
    message: `A recording can have ${maxTargets} targets; with these it would have ${all.length}.`,
    param: "targets",
  });
};

/** The characters that a recording of unknown text may have in these languages together. */
export const maxCharactersOf = (targets: readonly TranscriptTarget[], milliseconds: number): number =>
  Math.ceil((milliseconds / 1_000) * charactersPerSecond) * languagesOf(targets).length;
