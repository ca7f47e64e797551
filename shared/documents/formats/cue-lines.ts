import type { Range } from "../segments/segment.ts";

/** A line of its own: of a person who speaks in turn, or a noise such as `[sighs]` and `♪ la ♪`. */
const turn = /^[-–—]/;
const noise = /^(?:\[[^\][]*\]|\([^()]*\)|[♪♫#].*)$/u;

/** A sentence ends before a turn; a dash may also be one within a sentence. */
const sentenceEnd = /[.!?…:♪♫"”’)\]]$/u;

/** Returns the parts of a subtitle that are translated alone: lines on which others begin to speak or that are noises, and all others together. */
export const partsOfCue = (source: string, lines: readonly Range[]): Range[] => {
  const parts: { start: number; end: number }[] = [];
  let last = "";
  let hasTurn = false;
  for (const { start, end } of lines) {
    const text = source
      .slice(start, end)
      .replaceAll(/<[^<>]*>|\{[^{}]*\}/g, "")
      .trim();
    const isTurn = turn.test(text) && (hasTurn || sentenceEnd.test(last));
    hasTurn ||= turn.test(text);
    const part = parts.at(-1);
    if (part && !isTurn && !noise.test(text) && !noise.test(last)) part.end = end;
    else parts.push({ start, end });
    last = text;
  }
  return parts;
};
