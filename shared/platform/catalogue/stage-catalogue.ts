/** A voice of a stage, as in its file `voices.json`. */
export interface StageVoice {
  /** How requests name the voice. */
  readonly tag: string;
  /** The code of a language of the catalogue. */
  readonly language: string;
  readonly gender: "female" | "male" | "neutral";
  /** How people know the voice. */
  readonly name: string;
  /** How the speech model's server knows it. */
  readonly model_voice: string;
  /** The server's name for the model that speaks it; by default the server's model of speech. */
  readonly model?: string | undefined;
  /** The name of the only server that speaks it; by default any. */
  readonly server?: string | undefined;
}

/** The voices of a stage, in addition to those of the catalogue or instead of them. */
export interface StageVoices {
  readonly mode: "add" | "replace";
  readonly voices: readonly StageVoice[];
}

/** A language of a stage: its ISO 639-3 code, and the name that callers and models use. */
export interface StageLanguage {
  readonly code: string;
  readonly name: string;
}

/** The languages that a stage adds to the catalogue, as in its file `languages.json`. */
export interface StageLanguages {
  readonly transcription: readonly StageLanguage[];
  readonly translation: readonly StageLanguage[];
}

/** What is marked as right with a confidence within a range, and how much of that is right. */
export interface CalibrationCheck {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly right: number;
}

/** How often words are right, by what a model reports. */
export interface CalibratedSignal {
  /** The words that it was fitted on. */
  readonly words: number;
  /** Points of score and confidence, both from 0 to 1 and rising; `null` where the score says nothing about what is right. */
  readonly curve: readonly (readonly [score: number, confidence: number])[] | null;
  /** Of words in recordings that the curve was not fitted on. */
  readonly checks: readonly CalibrationCheck[];
}

/** What is known about the models of a language. */
export interface CalibratedLanguage {
  readonly recordings: number;
  /** By the probability of each word, where models report it. */
  readonly words: CalibratedSignal;
  /** By that of segments. */
  readonly segments: CalibratedSignal;
}

/** How sure transcripts of a stage are, as in its file `calibration.json`. */
export interface Calibration {
  readonly version: 1;
  /** When the last output arrived. */
  readonly measured_at: string;
  readonly base_url: string;
  readonly data: { readonly name: string; readonly about: string };
  /** By ISO 639-3 code. */
  readonly languages: Readonly<Record<string, CalibratedLanguage>>;
}

/** How the catalogue of a stage differs from the specification's. */
export interface StageCatalogue {
  readonly voices?: StageVoices | undefined;
  readonly languages?: StageLanguages | undefined;
  /** The stage's own profiles of models by their names, as in its file `profiles.json`. */
  readonly profiles?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  readonly calibration?: Calibration | undefined;
}

/**
 * The stage's own voices, languages, profiles and calibration. The build replaces this value with the files of the stage
 * (`infra/bundling/stage-catalogue.ts`), so a function has them without reading anything.
 */
export const stageCatalogue: StageCatalogue = {};
