import { Readable } from "node:stream";
import { audioOf } from "../../../audio/encode/audio-of.ts";
import type { Speech } from "../../../audio/wav/streamed-wav.ts";
import { isSameFormat } from "../../../audio/wav/wav-structure.ts";
import { unusable } from "./backend.ts";

/** Characters of the first piece. It is short, because most servers are silent until they have spoken all of a request. */
const firstLength = 200;

/** Characters of the last pieces, unless the profile says otherwise. */
const usualMaxLength = 800;

const clauses = /[^,;:،؛、]+[,;:،؛、]*\s*|[,;:،؛、]+\s*/gu;
const words = /\S+\s*|\s+/gu;
const characters = /[\s\S]/gu;

/** Cuts what is too long by the first of the patterns, and what is still too long by the next one. */
const divide = (text: string, maxLength: number, [pattern, ...others]: readonly RegExp[]): string[] =>
  text.length <= maxLength || !pattern
    ? [text]
    : (text.match(pattern) ?? []).flatMap((part) => divide(part, maxLength, others));

/**
 * Splits a text into pieces that are spoken one after another: at the ends of sentences, and long sentences at the ends of clauses.
 * Each piece is at most twice as long as the one before it, which plays meanwhile.
 *
 * @param maxLength the most characters that a server takes: sentences without clauses are then cut between words
 */
export const splitSpokenText = (
  text: string,
  maxLength: number | undefined,
): readonly [string, ...string[]] => {
  let limit = Math.min(firstLength, maxLength ?? firstLength);
  if (text.length <= limit) return [text];
  const patterns = maxLength === undefined ? [clauses] : [clauses, words, characters];
  const sentences = new Intl.Segmenter("en", { granularity: "sentence" }).segment(text);
  const parts = Array.from(sentences, ({ segment }) => segment).flatMap((sentence) =>
    divide(sentence, maxLength ?? usualMaxLength, patterns),
  );
  const pieces: string[] = [];
  let piece = "";
  for (const part of parts) {
    if (piece.trim() !== "" && (piece + part).trim().length > limit) {
      pieces.push(piece.trim());
      piece = "";
      limit = Math.min(2 * limit, maxLength ?? usualMaxLength);
    }
    piece += part;
  }
  const [first = piece.trim(), ...others] = pieces;
  return pieces.length === 0 || piece.trim() === "" ? [first, ...others] : [first, ...others, piece.trim()];
};

/** Speaks a piece of a text. */
type Speak = (text: string, signal: AbortSignal, isFirst: boolean) => Promise<Speech>;

/** More parts than any speech has. */
const unbounded = 2 ** 20;

/** Receives a speech as fast as its server sends it, while it is read as fast as it is played. */
const receive = (speech: Speech) => {
  const { promise: received, resolve } = Promise.withResolvers<void>();
  const read = async function* () {
    yield* audioOf(speech);
    resolve();
  };
  return { audio: Readable.from(read(), { highWaterMark: unbounded }), received };
};

/**
 * Speaks pieces of a text as one speech. As soon as one of them has arrived, the next is requested: a server that works on one
 * request at a time would otherwise not send the rest of a piece until it has spoken the next.
 *
 * @returns the speech, once that of the first piece has started. Its length is unknown if there are several.
 * @throws AppError as `speak` does; for a later piece while the speech is read.
 */
export const speakInTurn = async (
  [first, ...others]: readonly [string, ...string[]],
  speak: Speak,
  signal: AbortSignal,
): Promise<Speech> => {
  if (others.length === 0) return speak(first, signal, true);
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const started = await speak(first, either, true);
  let current = started;
  let next: Promise<Speech> | undefined;
  const cancel = (): void => {
    ended.abort();
    current.cancel();
    next?.then((speech) => speech.cancel()).catch(() => undefined);
  };
  const read = async function* () {
    let isComplete = false;
    try {
      for (const text of others) {
        const { audio, received } = receive(current);
        next = received.then(() => speak(text, either, false));
        // A failure is reported once what is before it has been read.
        next.catch(() => undefined);
        yield* audio;
        current = await next;
        if (!isSameFormat(current.header.format, started.header.format))
          throw unusable("The model's server changed the format of its audio.");
      }
      next = undefined;
      yield* audioOf(current);
      isComplete = true;
    } finally {
      if (!isComplete) cancel();
    }
  };
  return { header: { ...started.header, audioBytes: undefined }, audio: read(), cancel };
};
