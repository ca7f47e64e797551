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

/** How the catalogue of a stage differs from the specification's. */
export interface StageCatalogue {
  readonly voices?: StageVoices | undefined;
  readonly languages?: StageLanguages | undefined;
  /** The stage's own profiles of models by their names, as in its file `profiles.json`. */
  readonly profiles?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/**
 * The stage's own voices, languages and profiles. The build replaces this value with the files of the stage
 * (`infra/bundling/stage-catalogue.ts`), so a function has them without reading anything.
 */
export const stageCatalogue: StageCatalogue = {};
