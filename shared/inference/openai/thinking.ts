const openingTag = "<think>";
const closingTag = "</think>";

/** The end of a text that may still become the tag; both tags have their only `<` at the front. */
const unfinishedTag = (text: string, tag: string): string => {
  const end = text.slice(Math.max(text.lastIndexOf("<"), 0));
  return end.length < tag.length && tag.startsWith(end) ? end : "";
};

/**
 * Takes think-blocks out of a text that comes in pieces, cut anywhere, also inside a tag.
 *
 * A block that is never closed reaches to the end. White space after a block is dropped as long as the answer itself
 * has not begun, because models put a blank line between the two.
 */
export class ThinkingFilter {
  #isThinking = false;
  #hasThought = false;
  #hasText = false;
  /** The beginning of a tag, or a text that only looks like one so far. */
  #held = "";

  /** The part of the text so far that can be shown and has not been yet. */
  push(piece: string): string {
    if (this.#hasText && !this.#isThinking && this.#held === "" && !piece.includes("<")) return piece;
    let rest = this.#held + piece;
    let visible = "";
    for (;;) {
      const tag = this.#isThinking ? closingTag : openingTag;
      const position = rest.indexOf(tag);
      if (position < 0) {
        this.#held = unfinishedTag(rest, tag);
        return visible + this.#show(rest.slice(0, rest.length - this.#held.length));
      }
      visible += this.#show(rest.slice(0, position));
      rest = rest.slice(position + tag.length);
      this.#isThinking = !this.#isThinking;
      this.#hasThought = true;
    }
  }

  /** What is left at the end: the beginning of a tag that never became one. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#show(rest);
  }

  #show(text: string): string {
    if (this.#isThinking || this.#hasText) return this.#isThinking ? "" : text;
    const visible = this.#hasThought ? text.trimStart() : text;
    this.#hasText = visible.trim() !== "";
    return visible;
  }
}

/** A whole text without its think-blocks. */
export const withoutThinking = (text: string): string => {
  const filter = new ThinkingFilter();
  return filter.push(text) + filter.end();
};
