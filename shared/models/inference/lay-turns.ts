import type { Segment, Transcription, Word } from "./transcription.ts";

/** Who speaks when, in seconds from the beginning of the recording. */
export interface Turn {
  readonly start: number;
  readonly end: number;
  readonly speaker: string;
}

const lengthOf = (text: string): number => [...text].length;

/** Divides the time of a segment among its words, by length. */
export const spreadWords = ({ start, end, text }: Pick<Segment, "start" | "end" | "text">): Word[] => {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const letters = words.reduce((sum, word) => sum + lengthOf(word), 0);
  let before = 0;
  return words.map((word) => {
    const from = before;
    before += lengthOf(word);
    const at = (position: number): number => start + ((end - start) * position) / letters;
    return { start: at(from), end: at(before), text: word };
  });
};

/** The speaker whose turns share most time with a word, or else are nearest to it; `undefined` without turns. */
export const speakerOf = (turns: readonly Turn[], { start, end }: Pick<Word, "start" | "end">) => {
  const shared = new Map<string, number>();
  for (const turn of turns) {
    const seconds = Math.min(end, turn.end) - Math.max(start, turn.start);
    const before = shared.get(turn.speaker) ?? Number.NEGATIVE_INFINITY;
    // Times that are shared add up; of the distances to turns that are apart, the smallest counts.
    shared.set(turn.speaker, seconds > 0 && before > 0 ? before + seconds : Math.max(before, seconds));
  }
  return [...shared].reduce<readonly [string | undefined, number]>(
    (nearest, each) => (each[1] > nearest[1] ? each : nearest),
    [undefined, Number.NEGATIVE_INFINITY],
  )[0];
};

/** The words of each segment, with their times: those that the model reports where they are as many, otherwise estimated. */
const wordsOfSegments = (segments: readonly Segment[], words: readonly Word[]): Word[][] => {
  const reported = Map.groupBy(words, ({ start, end }) =>
    Math.max(
      0,
      segments.findLastIndex((segment) => segment.start <= (start + end) / 2),
    ),
  );
  return segments.map((segment, index) => {
    const estimated = spreadWords(segment);
    const own = reported.get(index) ?? [];
    return estimated.map((word, position) => ({
      ...word,
      ...(own.length === estimated.length && own[position]
        ? { start: own[position].start, end: own[position].end }
        : {}),
    }));
  });
};

/** A segment as one segment for each of its speakers' turns. */
const cutAtTurns = (segment: Segment, words: readonly Word[], turns: readonly Turn[]): Segment[] => {
  const runs: { speaker: string | undefined; words: Word[] }[] = [];
  for (const word of words) {
    const speaker = speakerOf(turns, word);
    const last = runs.at(-1);
    if (last && last.speaker === speaker) last.words.push(word);
    else runs.push({ speaker, words: [word] });
  }
  return runs.map(({ speaker, words: said }, index) => ({
    ...segment,
    start: index === 0 ? segment.start : (said[0]?.start ?? segment.start),
    end: index === runs.length - 1 ? segment.end : (said.at(-1)?.end ?? segment.end),
    text: said.map(({ text }) => text).join(" "),
    ...(speaker === undefined ? {} : { speaker }),
  }));
};

/** Returns a transcription with the speakers of another server's turns. Segments in which several people speak are cut between their words. */
export const layTurns = (
  { text, segments, words = [], ...others }: Transcription,
  turns: readonly Turn[],
): Transcription => {
  const times = [...turns, ...words];
  const whole = {
    start: times.reduce((first, { start }) => Math.min(first, start), times[0]?.start ?? 0),
    end: times.reduce((last, { end }) => Math.max(last, end), 0),
    text,
  };
  const spoken = segments?.length ? segments : [whole].filter(() => text !== "");
  const wordsOf = wordsOfSegments(spoken, words);
  return {
    ...others,
    text,
    segments: spoken.flatMap((segment, index) => cutAtTurns(segment, wordsOf[index] ?? [], turns)),
    ...(words.length > 0 ? { words } : {}),
  };
};
