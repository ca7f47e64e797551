/** A part of a recording; seconds from its beginning. */
export type Span = { readonly start: number; readonly end: number };

/** What the sample server can tell of an audio file without understanding it. */
export type Recording = {
  readonly durationSeconds: number;
  /** Where somebody speaks; empty when the recording is silent. */
  readonly speech: readonly Span[];
  /** The text of a file that the sample server itself has spoken. */
  readonly spokenText?: string;
};
