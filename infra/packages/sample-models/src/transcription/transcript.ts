import type { Recording, Span } from "./recording.ts";
import { type SpokenSentence, spreadSentences } from "./spread-sentences.ts";

/** What the sample server says of speech that it cannot read back. */
export const noRecogniser = "[sample server: no recogniser]";

/** A stretch of speech under OpenAI's names. */
export type TranscriptSegment = { id: number; start: number; end: number; text: string };

/** What was said, as far as the sample server knows it. */
export type Transcript = {
  readonly text: string;
  readonly durationSeconds: number;
  readonly segments: readonly TranscriptSegment[];
};

/**
 * Writes down a recording: the text of one that the sample server has spoken itself, the note that there is no
 * recogniser for any other, and nothing for silence.
 */
export function transcribe({ durationSeconds, speech, spokenText }: Recording): Transcript {
  const duration = roundSeconds(durationSeconds);
  if (speech.length === 0) return { text: "", durationSeconds: duration, segments: [] };
  const text = spokenText ?? noRecogniser;
  const spoken: (Span & Pick<SpokenSentence, "text">)[] =
    spokenText === undefined
      ? speech.map((span) => ({ ...span, text: noRecogniser }))
      : spreadSentences(spokenText, speech);
  const segments = spoken.map((sentence, id) => ({
    id,
    start: roundSeconds(sentence.start),
    end: roundSeconds(sentence.end),
    text: sentence.text,
  }));
  return { text, durationSeconds: duration, segments };
}

/** To milliseconds. */
function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
