import { planPieces, readPiece, usualLimits } from "../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../shared/audio/reading/audio-errors.ts";
import { ReadingBudget } from "../../shared/audio/reading/reading-budget.ts";
import type { Cutter } from "./plan-job.ts";

/** The overlap of parts as a share of their maximum length. */
const overlapShare = 1 / 4;

/**
 * Cuts the next part of a piece that takes the model too long as a whole.
 *
 * @throws NotAudioError | UnreadableAudioError when it cannot be cut; the signal's reason.
 */
export const cutPart: Cutter["cutPart"] = async (piece, { from, maxSeconds }, signal) => {
  const source = bufferSource(piece);
  const options = { signal, budget: new ReadingBudget() };
  const overlapSeconds = Math.min(usualLimits.overlapSeconds, maxSeconds * overlapShare);
  const [part, ...others] = await planPieces(source, await inspectAudio(source, options), {
    ...options,
    maxSeconds,
    ...(from > 0 ? { from: from - overlapSeconds } : {}),
  });
  if (!part || (part.end <= from && others.length > 0)) {
    throw new UnreadableAudioError("The audio cannot be cut into shorter parts: its packets are too large.");
  }
  const bytes = await readPiece(source, part, options);
  return { start: part.start, end: part.end, bytes, isLast: others.length === 0 };
};
