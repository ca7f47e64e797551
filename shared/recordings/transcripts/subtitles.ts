import { speakerOf, spreadWords, type Turn } from "../../models/inference/lay-turns.ts";
import type { Segment, Word } from "../../models/inference/transcription.ts";
import { hourMilliseconds, minuteMilliseconds } from "../../platform/durations.ts";

/** One subtitle. Times are in seconds from the start of the recording. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** Named in front of the first line: the speaker, in the first cue of a turn. */
  readonly speaker?: string | undefined;
}

/** What can be read at a glance (BBC subtitle guidelines, Netflix timed text guide). */
const maxLineLength = 42;
const maxLines = 2;
const maxCueSeconds = 7;

const pauseSeconds = 1;

const minCueSeconds = 0.1;

const lengthOf = (text: string): number => [...text].length;

const fitting = ({ start, end, text }: Word): Word[] => {
  const letters = [...text];
  const parts = Math.ceil(letters.length / maxLineLength);
  const seconds = (end - start) / parts;
  return Array.from({ length: parts }, (_part, index) => ({
    start: start + seconds * index,
    end: start + seconds * (index + 1),
    text: letters.slice(index * maxLineLength, (index + 1) * maxLineLength).join(""),
  }));
};

class CueWriter {
  readonly cues: Cue[] = [];
  #words: Word[] = [];
  #lines: string[] = [];
  #speaker: string | undefined;

  /** Names a speaker in front of the next word. */
  name(speaker: string): void {
    this.close();
    this.#speaker = speaker;
    this.#lines = [`${speaker}:`];
  }

  add(word: Word): void {
    const [first] = this.#words;
    const last = this.#words.at(-1);
    const isLate =
      first && last && (word.start - last.end >= pauseSeconds || word.end - first.start > maxCueSeconds);
    if (isLate || !this.#fits(word.text)) this.close();
    const line = this.#lines.at(-1);
    const joined = `${line} ${word.text}`;
    if (line === undefined || lengthOf(joined) > maxLineLength) this.#lines.push(word.text);
    else this.#lines.splice(-1, 1, joined);
    this.#words.push(word);
  }

  close(): void {
    const [first] = this.#words;
    const last = this.#words.at(-1);
    if (first && last) {
      const start = Math.max(first.start, this.cues.at(-1)?.end ?? 0);
      const end = Math.max(last.end, start + minCueSeconds);
      this.cues.push({ start, end, lines: this.#lines, speaker: this.#speaker });
    }
    this.#speaker = undefined;
    this.#words = [];
    this.#lines = [];
  }

  #fits(word: string): boolean {
    const line = this.#lines.at(-1);
    return (
      line === undefined ||
      this.#lines.length < maxLines ||
      lengthOf(line) + 1 + lengthOf(word) <= maxLineLength
    );
  }
}

const isTurn = (segment: Segment): segment is Segment & Turn => segment.speaker !== undefined;

/** Words that follow each other, of the same speaker. */
interface Said {
  readonly words: readonly Word[];
  readonly speaker: string | undefined;
}

/** The words of a transcription with their speakers: those that the model reports, or else those of its segments. */
const saidIn = ({ segments, words }: TimedText): Said[] => {
  // A server may return an empty list of words and still have segments.
  if (!words?.length)
    return segments.map((segment) => ({ words: spreadWords(segment), speaker: segment.speaker }));
  const turns = segments.filter(isTurn);
  const said: { words: Word[]; speaker: string | undefined }[] = [];
  for (const word of words) {
    const speaker = speakerOf(turns, word);
    const last = said.at(-1);
    if (last && last.speaker === speaker) last.words.push(word);
    else said.push({ words: [word], speaker });
  }
  return said;
};

/**
 * Cuts a transcription into cues of at most two lines and seven seconds, in order and without overlap. The times come from
 * the words, or else are shares of their segment's time. A cue in which another person starts to speak names the speaker.
 */
const toCues = (transcript: TimedText): Cue[] => {
  const writer = new CueWriter();
  let named: string | undefined;
  for (const { words, speaker } of saidIn(transcript)) {
    if (speaker !== undefined && speaker !== named && words.length > 0)
      writer.name(transcript.speakerNames?.[speaker] ?? speaker);
    named = speaker ?? named;
    for (const word of words.flatMap(fitting)) writer.add(word);
    writer.close();
  }
  return writer.cues;
};

const pad = (value: number, digits = 2): string => String(value).padStart(digits, "0");

const toTime = (seconds: number, separator: "," | "."): string => {
  const milliseconds = Math.round(seconds * 1_000);
  const of = (unit: number): number => Math.floor(milliseconds / unit);
  const clock = [of(hourMilliseconds), of(minuteMilliseconds) % 60, of(1_000) % 60]
    .map((part) => pad(part))
    .join(":");
  return `${clock}${separator}${pad(milliseconds % 1_000, 3)}`;
};

interface TimedText {
  readonly segments: readonly Segment[];
  readonly words?: readonly Word[] | undefined;
  /** What speakers are called, if not as in the segments. */
  readonly speakerNames?: Readonly<Record<string, string>> | undefined;
}

/** Breaks words into as few lines as fit, of about the same length. */
const breakLines = (words: readonly string[]): string[] => {
  const total = lengthOf(words.join(" "));
  const share = total / Math.ceil(total / maxLineLength);
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const isFull =
      line === undefined || lengthOf(line) >= share || lengthOf(`${line} ${word}`) > maxLineLength;
    if (isFull) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
};

/** A cue that shows less of a segment than this shows its neighbour. */
const minSharedSeconds = 0.05;

/** Divides words among cues by the cues' shares of the time. Each gets a word, while there are enough. */
const divideWords = (words: readonly string[], shares: readonly number[]): string[][] => {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const letters = words.reduce((sum, word) => sum + lengthOf(word), 0);
  const divided: string[][] = [];
  let [position, shown, until] = [0, 0, 0];
  for (const [index, share] of shares.entries()) {
    until += share / total;
    const own: string[] = [];
    // Each of the cues after this one needs a word.
    const last = Math.max(position + 1, words.length - (shares.length - index - 1));
    while (position < Math.min(last, words.length)) {
      const word = words[position] ?? "";
      if (own.length > 0 && (shown + lengthOf(word) / 2) / letters > until && index < shares.length - 1)
        break;
      own.push(word);
      shown += lengthOf(word);
      position += 1;
    }
    divided.push(own);
  }
  return divided;
};

/** Puts the words of a translation into the cues in which their segment was said, in order. */
const wordsOfCues = (
  cues: readonly Cue[],
  segments: readonly Segment[],
  translated: readonly string[],
): string[][] => {
  const shown = cues.map((): string[] => []);
  let first = 0;
  for (const [index, { start, end }] of segments.entries()) {
    while (first < cues.length - 1 && (cues[first]?.end ?? 0) - start < minSharedSeconds) first += 1;
    const shares: number[] = [];
    for (let at = first; at < cues.length; at += 1) {
      const cue = cues[at];
      const shared = cue ? Math.min(end, cue.end) - Math.max(start, cue.start) : 0;
      if (shared < minSharedSeconds && at > first) break;
      shares.push(Math.max(shared, minSharedSeconds));
    }
    const words = (translated[index] ?? "").split(/\s+/u).filter((word) => word !== "");
    const fittingWords = words.flatMap((text) => fitting({ start, end, text }).map((part) => part.text));
    for (const [offset, own] of divideWords(fittingWords, shares).entries()) {
      for (const word of own) shown[first + offset]?.push(word);
    }
  }
  return shown;
};

/**
 * Puts a translation into the cues of its transcript, whose times stay. Only lines are broken differently, so a much longer translation
 * may have cues of more lines; a much shorter one stays on the screen for the time of several cues.
 */
const translatedCues = (transcript: TimedText, translated: readonly string[]): Cue[] => {
  const cues = toCues(transcript);
  const shown = wordsOfCues(cues, transcript.segments, translated);
  let visible = shown.find((each) => each.length > 0) ?? [];
  if (visible.length === 0) return [];
  return cues.map(({ start, end, speaker }, index) => {
    const own = shown[index] ?? [];
    if (own.length > 0) visible = own;
    return { start, end, lines: breakLines(speaker === undefined ? visible : [`${speaker}:`, ...visible]) };
  });
};

/** SubRip has no escapes, so an arrow in the text must not look like the one between times. */
const subRipOf = (cues: readonly Cue[]): string =>
  cues
    .map(({ start, end, lines }, index) => {
      const text = lines.join("\n").replaceAll("-->", "->");
      return `${index + 1}\n${toTime(start, ",")} --> ${toTime(end, ",")}\n${text}\n`;
    })
    .join("\n");

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** In WebVTT (W3C) `&`, `<` and `>` are escaped. */
const webVttOf = (cues: readonly Cue[]): string =>
  [
    "WEBVTT\n",
    ...cues.map(({ start, end, lines }) => {
      const text = lines.join("\n").replaceAll(/[&<>]/g, (character) => escapes[character] ?? character);
      return `${toTime(start, ".")} --> ${toTime(end, ".")}\n${text}\n`;
    }),
  ].join("\n");

const cuesOf = (transcript: TimedText, translated: readonly string[] | undefined): Cue[] =>
  translated ? translatedCues(transcript, translated) : toCues(transcript);

/** Writes SubRip. @param translated the text of each segment in another language; the times stay those of the transcript. */
export const toSubRip = (transcript: TimedText, translated?: readonly string[]): string =>
  subRipOf(cuesOf(transcript, translated));

/** Writes WebVTT, as {@link toSubRip}. */
export const toWebVtt = (transcript: TimedText, translated?: readonly string[]): string =>
  webVttOf(cuesOf(transcript, translated));
