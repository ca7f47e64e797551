import * as z from "zod";
import type { Turn } from "../lay-turns.ts";
import type { Segment, SegmentDetails, Transcription, Word } from "../transcription.ts";
import { failureIn } from "./chat-completion.ts";
import { jsonOrText } from "./server-words.ts";
import { withoutSpecialTokens } from "./special-tokens.ts";

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

/** Some servers write numbers as texts. */
const number = optional(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^\s*-?\d/)
      .transform(Number)
      .pipe(z.number()),
  ]),
);

const text = z
  .string()
  .catch("")
  .transform((written) => withoutSpecialTokens(written).trim());

const wireTimes = { start: number, end: number };

const wireWord = z
  .object({ ...wireTimes, word: text, probability: number, score: number })
  .transform(({ word, probability, score, ...times }) => {
    // WhisperX calls it a score.
    const reported = probability ?? score;
    return { ...times, text: word, ...(reported === undefined ? {} : { probability: reported }) };
  });
const wireWords = optional(z.array(wireWord.optional().catch(undefined)));

/** What models of the Whisper family report about a segment. */
const wireDetails = z
  .object({
    seek: optional(z.int()),
    tokens: optional(z.array(z.int())),
    temperature: number,
    avg_logprob: number,
    compression_ratio: number,
    no_speech_prob: number,
  })
  .transform(
    (details): SegmentDetails => ({
      seek: details.seek,
      tokens: details.tokens,
      temperature: details.temperature,
      averageLogProbability: details.avg_logprob,
      compressionRatio: details.compression_ratio,
      noSpeechProbability: details.no_speech_prob,
    }),
  );

const wireSegment = z
  .looseObject({ ...wireTimes, text, speaker: optional(z.string().min(1)), words: wireWords })
  .transform(({ start, end, text, speaker, words, ...others }) => {
    const details = wireDetails.parse(others);
    const hasDetails = Object.values(details).some((detail) => detail !== undefined);
    const more = { ...(speaker === undefined ? {} : { speaker }), ...(hasDetails ? { details } : {}) };
    return { start, end, text, words, more };
  });

const wireTranscription = z.object({
  text: z.string().nullish(),
  segments: optional(z.array(wireSegment.optional().catch(undefined))),
  words: wireWords,
  /** A code or a name. */
  language: optional(z.string()),
  /** Of the recording: only what the last entry lacks is taken from it. */
  duration: number,
  // Some servers report failures with status 200.
  error: z.null().optional(),
});

interface Timed {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly text: string;
}

/** Those that have a text, in the order of the recording. One without times follows the one before it. */
const inOrder = <Entry extends Timed>(entries: readonly (Entry | undefined)[]): Entry[] => {
  let position = 0;
  return entries
    .flatMap((entry) => {
      if (!entry || entry.text === "") return [];
      position = entry.start ?? entry.end ?? position;
      return { entry, position };
    })
    .toSorted((one, other) => one.position - other.position)
    .map(({ entry }) => entry);
};

/**
 * Entries with the times that they lack taken from their neighbours: those without any share the time between them. An end is never
 * before its start, and neither is before the recording. @returns undefined when none has any.
 */
const placed = <Entry extends Timed>(
  entries: readonly (Entry | undefined)[] | undefined,
  duration: number | undefined,
) => {
  if (!entries) return undefined;
  const heard = inOrder(entries);
  if (heard.length > 0 && heard.every(({ start, end }) => start === undefined && end === undefined))
    return undefined;
  let previous = 0;
  return heard.map((entry, index) => {
    const next = heard.findIndex((later, at) => at > index && later.start !== undefined);
    const start = Math.max(0, entry.start ?? Math.min(previous, entry.end ?? previous));
    const free = (heard[next]?.start ?? duration ?? start) - start;
    const sharing = entry.start === undefined ? (next < 0 ? heard.length : next) - index : 1;
    const end = Math.max(start, entry.end ?? start + free / sharing);
    previous = end;
    return { ...entry, start, end };
  });
};

/** Reads the body of a whole transcription. @param codeOf the code of a language that the server names. @throws AppError when it has none, or reports a failure. */
export const parseTranscription = (
  body: string,
  codeOf: (named: string) => string | undefined = () => undefined,
): Transcription => {
  const response = jsonOrText(body);
  const { data, error } = wireTranscription.safeParse(response);
  const segments = placed(data?.segments, data?.duration);
  const said =
    data?.text ?? (segments?.length ? segments.map((segment) => segment.text).join(" ") : undefined);
  if (!data || said === undefined) throw failureIn(response, error, { sent: {}, hasAudio: true });
  // whisper.cpp and others have the words within their segments.
  const within = data.segments?.flatMap((segment) => segment?.words ?? []);
  const language = data.language === undefined ? undefined : codeOf(data.language);
  const words = placed(data.words ?? (within?.length ? within : undefined), data.duration);
  return {
    text: withoutSpecialTokens(said).trim(),
    segments: segments?.map(
      ({ start, end, text: heard, more }): Segment => ({ start, end, text: heard, ...more }),
    ),
    ...(words ? { words: words satisfies Word[] } : {}),
    ...(language === undefined ? {} : { language }),
  };
};

const wireTurn = z.object({ ...wireTimes, speaker: z.string().min(1) });
const wireTurns = z.object({
  segments: z.array(wireTurn.optional().catch(undefined)),
  error: z.null().optional(),
});

/** Reads who speaks when, whether there are words or not. @throws AppError when the body has none, or reports a failure. */
export const parseTurns = (body: string): Turn[] => {
  const response = jsonOrText(body);
  const { data, error } = wireTurns.safeParse(response);
  if (!data) throw failureIn(response, error, { sent: {}, hasAudio: true });
  return data.segments
    .flatMap((turn) => {
      if (turn?.start === undefined || turn.end === undefined || turn.end < turn.start) return [];
      return { start: Math.max(0, turn.start), end: turn.end, speaker: turn.speaker };
    })
    .toSorted((one, other) => one.start - other.start);
};
