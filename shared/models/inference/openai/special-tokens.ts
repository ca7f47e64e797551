/**
 * Tokens that tell a model or a decoder something, and are no speech: of Whisper and its relatives (`<|lg|>`, and `< | lg | >` where a
 * decoder puts spaces), of whisper.cpp with `--print-special`, of sequence models, and the language that Qwen names first.
 */
const specialToken =
  /<\s?\|[^|<>]{1,40}\|\s?>|\[_[A-Z]{2,12}_(?:\d{1,5})?\]|<\/?s>|<pad>|^\s*language [^<>]{1,40}<asr_text>/g;

/** What may become a token of a stream when more of the text comes. */
const unfinishedToken = /<(?:\s|\s?\|[^|<>]{0,40}(?:\|\s?)?|\/|\/?s|p|pa|pad)?$/;

/** A transcript without special tokens. */
export const withoutSpecialTokens = (text: string): string => text.replace(specialToken, "");

/** Where the start of an unfinished token is in a transcript that is still coming; its length when there is none. */
export const endOfFinished = (text: string): number => {
  const start = text.search(unfinishedToken);
  return start < 0 ? text.length : start;
};
