/**
 * Splits a text into the tokens of the sample server: words, each with the white space before it. The tokens
 * joined are the text again.
 */
export function tokenise(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** How many tokens a text has. */
export function countTokens(text: string): number {
  return tokenise(text).length;
}
