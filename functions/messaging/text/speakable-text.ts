import { firstSentences } from "./cut-text.ts";

/** About 45 seconds of speech. */
const mostCharacters = 600;

const withoutMarkdown = (text: string): string =>
  text
    .replace(/```[^\n]*\n?/g, "")
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, "$1")
    .replace(/https?:\/\/\S+/g, "")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+•])[ \t]+/gm, "")
    .replace(/[*_~`]{1,3}/g, "");

/** Pictures, flags, and what joins or varies them. */
const emoji =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\u{FE0F}\u{20E3}]|\u{200D}/gu;

const withoutEmoji = (text: string): string => text.replace(emoji, "");

/**
 * Numbers as a voice reads them well: a phone number digit by digit, an amount without the marks between its thousands.
 * The former goes first, because an amount has a mark and a phone number has none.
 */
const withSpokenNumbers = (text: string): string =>
  text
    .replace(/\d{7,}/g, (digits) => [...digits].join(" "))
    .replace(/\b\d{1,3}(?:,\d{3})+\b/g, (amount) => amount.replaceAll(",", ""));

/** What of a text is read out: no signs that are only for the eye, and at most 600 characters. */
export const speakableText = (text: string): string =>
  firstSentences(
    withSpokenNumbers(withoutEmoji(withoutMarkdown(text)))
      .replace(/\s+/g, " ")
      .trim(),
    mostCharacters,
  );
