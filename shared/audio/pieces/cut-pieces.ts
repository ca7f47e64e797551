import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import { type AudioReadOptions, gatherPieces, openAudioFile, openForCut } from "../open-file.ts";
import { copyRange, SourceWindow } from "../reading/audio-source.ts";
import type { AudioFacts } from "../reading/container.ts";
import type { CutPoint, Piece } from "../reading/piece.ts";
import { ReadingBudget } from "../reading/reading-budget.ts";
import { type PieceLimits, PiecePlanner } from "./piece-planner.ts";

export interface PlanOptions extends AudioReadOptions, Partial<PieceLimits> {
  /** The first piece starts here in the recording or just before, in seconds; by default at the recording's start. */
  readonly from?: number;
}

export { type Piece, pieceSchema } from "../reading/piece.ts";

/** vLLM accepts less than 25 MiB and 600 s. */
export const usualLimits: PieceLimits = {
  maxSeconds: 570,
  overlapSeconds: 10,
  maxBytes: 24_000_000,
};

/**
 * Chooses the pieces of a recording. Each is short enough for a model and repeats the last seconds of the piece before it, so
 * every word is whole in at least one of them. Reads the file or its index once, and decodes nothing.
 *
 * @param facts the result of `inspectAudio` for the source.
 * @throws NotAudioError | UnreadableAudioError when the source has changed since the inspection.
 * @throws the source's errors, or the signal's reason.
 */
export const planPieces = async (
  source: ByteSource,
  facts: AudioFacts,
  options: PlanOptions = {},
): Promise<readonly Piece[]> => {
  const { signal, budget = ReadingBudget.forBackgroundWork(), from: startSeconds } = options;
  const limits = { ...usualLimits, ...options };
  const { durationSeconds, mediaType, fileExtension } = facts;
  const type = { mediaType, fileExtension };
  const isWhole = durationSeconds <= limits.maxSeconds && source.size <= limits.maxBytes;
  if (isWhole && startSeconds === undefined) {
    return [{ index: 0, start: 0, end: durationSeconds, bytes: source.size, ...type }];
  }

  const { reader, ...file } = await openForCut(source, facts, { signal, budget });
  const { headBytes, points } = await reader.cutPoints(file);
  const planner = new PiecePlanner({ ...limits, maxBytes: limits.maxBytes - headBytes });
  let first: CutPoint | undefined;
  let last: CutPoint | undefined;
  for await (const group of points) {
    for (const point of group) {
      first ??= point;
      if (last && (startSeconds === undefined || point.startsAt > startSeconds)) planner.add(last);
      last = point;
    }
  }
  const spans = last ? planner.finish(last) : [];
  return spans.map(({ from, to }, index) => ({
    index,
    start: from.startsAt,
    end: to.endsAt,
    bytes: headBytes + to.bytes - from.bytes,
    ...type,
    cut: { ...(from === first ? {} : { from: from.position }), until: to.position.ticks },
  }));
};

/**
 * Streams a piece as a file in the recording's container and encoding. Reads only the file's head and the piece's ranges.
 *
 * @param piece from `planPieces` for this source.
 * @throws NotAudioError | UnreadableAudioError when the source has changed since the planning.
 * @throws the source's errors, or the signal's reason.
 */
export async function* cutPiece(
  source: ByteSource,
  piece: Piece,
  options: AudioReadOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const { signal, budget = new ReadingBudget() } = options;
  if (!piece.cut) {
    yield* copyRange(new SourceWindow(source, signal), 0, source.size);
    return;
  }
  const { reader, ...file } = await openAudioFile(source, { signal, budget });
  yield* gatherPieces(reader.cut(file, piece.cut), budget, piece.bytes);
}

/** Returns all bytes of a piece, with the errors of {@link cutPiece}. */
export const readPiece = async (...piece: Parameters<typeof cutPiece>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of cutPiece(...piece)) chunks.push(chunk);
  return Buffer.concat(chunks);
};
