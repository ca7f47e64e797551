import type { JobSegment } from "../../shared/recordings/jobs/job-result.ts";
import type { SpeechPart, StagePiece } from "../../shared/recordings/jobs/translated-recording.ts";

/** How much of a language one piece may have. */
interface PieceLimits {
  readonly characters: number;
  readonly count: number;
}

/** A piece is translated in well under the time of a worker, even by a slow model. */
export const translationLimits: PieceLimits = { characters: 6_000, count: 60 };

/** About three minutes of speech, which a model speaks faster than people. */
export const speechLimits: PieceLimits = { characters: 2_500, count: 30 };

/** Divides the texts of a language among pieces. Without texts there is one empty piece, so that the stage ends like any other. */
export const planPiecesOf = (
  language: string,
  texts: readonly Pick<JobSegment | SpeechPart, "text">[],
  { characters: maxCharacters, count: maxCount }: PieceLimits,
): StagePiece[] => {
  const pieces: StagePiece[] = [];
  let [from, characters] = [0, 0];
  for (const [index, { text }] of texts.entries()) {
    if (index > from && (characters + text.length > maxCharacters || index - from >= maxCount)) {
      pieces.push({ language, from, to: index });
      [from, characters] = [index, 0];
    }
    characters += text.length;
  }
  return [...pieces, { language, from, to: texts.length }];
};
