const firstLetter = /\p{L}/u;

/** The wording with a capital at its first letter: `oli otya?` becomes `Oli otya?`. */
export function capitalise(wording: string): string {
  return wording.replace(firstLetter, (letter) => letter.toUpperCase());
}

/** Whether the first letter of a text is a capital. */
export function startsWithCapital(text: string): boolean {
  const letter = firstLetter.exec(text)?.[0];
  return letter !== undefined && letter !== letter.toLowerCase();
}

/**
 * Puts a wording of the phrasebook in the place of a sentence: with the closing punctuation of that sentence, and
 * with a capital if that one had it.
 *
 * Only the question mark follows the wording, because a greeting may be a question in one language and none in
 * another: `Oraire ota?` is answered by `Good morning.`, and `how are you` without its mark still asks.
 */
export function placeWording(wording: string, sentence: { words: string; closing: string }): string {
  const asks = wording.endsWith("?");
  const bare = asks ? wording.slice(0, -1) : wording;
  const placed = startsWithCapital(sentence.words) ? capitalise(bare) : bare;
  return placed + closingFor(asks, sentence.closing);
}

function closingFor(asks: boolean, closing: string): string {
  if (!asks) return closing.replaceAll("?", ".");
  if (closing.includes("?") || closing.includes("!")) return closing;
  return closing.includes(".") ? closing.replace(/\.+/u, "?") : `?${closing}`;
}
