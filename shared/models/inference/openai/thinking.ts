/**
 * What a marker says about the text after it; a `neutral` one is only removed. Thoughts in tags are nested, channels
 * follow each other: one that `leaves` the reply does so once, and the reply `returns` from all.
 */
type Marking = "opens" | "closes" | "leaves" | "returns" | "neutral";

interface Marker {
  readonly marking: Marking;
  readonly length: number;
}

/** Markers with only one spelling. */
const fixedMarkers: readonly (readonly [words: string, marking: Marking])[] = [
  // Mistral
  ["[THINK]", "opens"],
  ["[/THINK]", "closes"],
  // Kimi
  ["◁think▷", "opens"],
  ["◁/think▷", "closes"],
  // Cohere
  ["<|START_THINKING|>", "opens"],
  ["<|END_THINKING|>", "closes"],
  // Models that were taught with OpenThoughts
  ["<|begin_of_thought|>", "opens"],
  ["<|end_of_thought|>", "closes"],
  // gpt-oss has a channel for thoughts, one for the calls of tools, and one for the reply.
  ["<|channel|>analysis", "leaves"],
  ["<|channel|>commentary", "leaves"],
  ["<|channel|>final", "returns"],
  ["<|start|>assistant", "neutral"],
  ["<|message|>", "neutral"],
  ["<|end|>", "neutral"],
  ["<|return|>", "neutral"],
];

/**
 * How a reply of gpt-oss starts when its server omits the marks but not the names of the channels: `analysisWe need
 * to …assistantfinalOli otya?`. The name is one token, so it arrives in one piece. A reply may start so by chance:
 * it is held back, and shown unless the reply's channel follows.
 */
const bareThought = /^analysis(?:[A-Z]|$)/;
const bareReply = "assistantfinal";

/** Names of tags, which models write in any case and with attributes (Qwen, DeepSeek, Seed and their descendants). */
const tagNames = ["think", "thinking", "thought", "reasoning", "reflection", "seed:think"];

/** The start of what may be a marker; none of these three characters occurs inside one. */
const front = /<(?=[\s|/a-z]|$)|\[(?=[/T]|$)|◁/gi;

/** A tag or its start. This many characters of attributes are read; anything longer is not a marker. */
const tag = /<\s{0,2}(?<slash>\/?)\s{0,2}(?<name>[a-z:]*)(?<rest>(?:\s[^<>]{0,200}|\/)?)(?<end>>?)/iy;

const readFixedMarker = (text: string, position: number): Marker | "unfinished" | undefined => {
  for (const [words, marking] of fixedMarkers) {
    if (text.startsWith(words, position)) return { marking, length: words.length };
  }
  const left = text.length - position;
  return fixedMarkers.some(([words]) => left < words.length && words.startsWith(text.slice(position)))
    ? "unfinished"
    : undefined;
};

const readTag = (text: string, position: number): Marker | "unfinished" | undefined => {
  tag.lastIndex = position;
  const match = tag.exec(text);
  if (!match?.groups) return undefined;
  const [{ length }] = match;
  const { slash, end, rest = "" } = match.groups;
  const name = match.groups["name"]?.toLowerCase() ?? "";
  if (end) {
    if (!tagNames.includes(name) || !(rest.trim() === "" || /[=/]/.test(rest))) return undefined;
    if (rest.endsWith("/")) return { marking: "neutral", length };
    return { marking: slash ? "closes" : "opens", length };
  }
  if (position + length < text.length) return undefined;
  const mayBecomeOne =
    rest === "" ? tagNames.some((known) => known.startsWith(name)) : tagNames.includes(name);
  return mayBecomeOne ? "unfinished" : undefined;
};

const readMarker = (text: string, position: number) =>
  readFixedMarker(text, position) ?? readTag(text, position);

/** Facts about a model's replies. */
export interface ThoughtHabits {
  /** Its replies start inside a thought, because its conversation template has already opened one. */
  readonly thinksFirst: boolean;
}

/**
 * Removes a model's thoughts from a text that comes in pieces, cut anywhere, also inside a marker.
 *
 * - Thoughts may be nested. After the first end of several, a text is held back: it is thought if another end
 * follows, and otherwise the model has only mentioned the marker.
 * - A thought that is never closed reaches to the end.
 * - An end without a start means that all before it was thought. Text that was already sent cannot be taken back;
 *   for a model that thinks first, the text is held back until its thought ends, or all of it does.
 * - White space after a thought is dropped until the reply itself starts, because models put a blank line between
 *   the two.
 */
export class ThoughtFilter {
  /** How many thoughts are open around the text that comes next. */
  #depth = 0;
  /**
   * By depth, the text that is part of the reply unless another end follows; `undefined` where it is surely thought.
   */
  #doubtful: (string | undefined)[] = [];
  #hasImpliedThought = false;
  /** Whether nothing has come yet. */
  #isBeginning = true;
  #hasBareThought = false;
  #hasLeft = false;
  #hasThought = false;
  #hasText = false;
  #hasShownThought = false;
  /** Whether any text has been sent. */
  #hasHandedOut = false;
  /** The beginning of a marker, or a text that only looks like one so far. */
  #unfinished = "";
  /** What can be shown and has not been sent. */
  #visible = "";

  constructor({ thinksFirst }: ThoughtHabits = { thinksFirst: false }) {
    if (!thinksFirst) return;
    this.#implyThought();
  }

  /** Whether a thought was sent before it was recognised as one. */
  get hasShownThought(): boolean {
    return this.#hasShownThought;
  }

  /** The part of the text so far that can be shown and was not shown yet. */
  push(piece: string): string {
    let rest = this.#unfinished + piece;
    this.#unfinished = "";
    if (this.#isBeginning && rest !== "" && !this.#hasStarted(rest)) return "";
    front.lastIndex = 0;
    for (let found = front.exec(rest); found; found = front.exec(rest)) {
      const marker = readMarker(rest, found.index);
      if (!marker) continue;
      this.#take(rest.slice(0, found.index));
      rest = rest.slice(found.index);
      front.lastIndex = 0;
      if (marker === "unfinished") {
        this.#unfinished = rest;
        return this.#handOut();
      }
      rest = rest.slice(marker.length);
      this.#mark(marker.marking);
    }
    this.#take(rest);
    return this.#handOut();
  }

  /**
   * The rest at the end: an unfinished marker, and text that was held back in vain.
   * @param isCut whether the text ended at a limit: a reply that would have started inside a thought has then none.
   */
  end(isCut = false): string {
    this.#take(this.#unfinished);
    this.#unfinished = "";
    const isThought = isCut && this.#hasImpliedThought;
    const doubtful = isThought ? "" : this.#doubtful.join("");
    this.#depth = 0;
    this.#doubtful = [];
    this.#take(doubtful);
    return this.#handOut();
  }

  /** Whether the start of the text is clear; otherwise the text is held back. */
  #hasStarted(text: string): boolean {
    const isBare = bareThought.test(text);
    if (isBare && !/[A-Z]/.test(text)) {
      this.#unfinished = text;
      return false;
    }
    this.#isBeginning = false;
    this.#hasBareThought = isBare;
    if (isBare) this.#implyThought();
    return true;
  }

  /** Treats the following text as thought if a thought's end follows, otherwise as the reply. */
  #implyThought(): void {
    this.#hasImpliedThought = true;
    this.#depth = 1;
    this.#doubtful[1] = "";
  }

  #mark(marking: Marking): void {
    if (marking === "opens") this.#open();
    else if (marking === "closes") this.#close();
    else if (marking === "leaves") this.#leave();
    else if (marking === "returns") this.#return();
  }

  #leave(): void {
    if (!this.#hasLeft) this.#open();
    this.#hasLeft = true;
  }

  #return(): void {
    this.#hasLeft = false;
    if (this.#depth > 1) this.#depth = 1;
    this.#close();
  }

  #open(): void {
    this.#hasThought = true;
    // The thought that was expected, with its own beginning.
    if (this.#hasImpliedThought && this.#depth === 1 && this.#doubtful[1]?.trim() === "") {
      this.#hasImpliedThought = false;
    } else this.#depth += 1;
    this.#doubtful[this.#depth] = undefined;
  }

  #close(): void {
    this.#hasThought = true;
    if (this.#depth === 0) {
      this.#forget();
      return;
    }
    this.#doubtful.length = this.#depth;
    this.#depth -= 1;
    if (this.#depth > 0) this.#doubtful[this.#depth] ??= "";
    else this.#hasImpliedThought = false;
  }

  /** Everything before was thought. */
  #forget(): void {
    this.#hasShownThought ||= this.#hasHandedOut;
    this.#hasText = false;
    this.#visible = "";
  }

  #take(text: string): void {
    if (this.#depth > 0) {
      const doubtful = this.#doubtful[this.#depth];
      if (doubtful === undefined) return;
      this.#doubtful[this.#depth] = doubtful + text;
      if (this.#hasBareThought) this.#endBareThought(doubtful.length - bareReply.length);
      return;
    }
    const visible = this.#hasThought && !this.#hasText ? text.trimStart() : text;
    this.#hasText ||= visible.trim() !== "";
    this.#visible += visible;
  }

  /** @param from where to look for the end. */
  #endBareThought(from: number): void {
    const thought = this.#depth === 1 ? this.#doubtful[1] : undefined;
    const end = thought?.indexOf(bareReply, from) ?? -1;
    if (!thought || end < 0) return;
    this.#hasBareThought = false;
    this.#close();
    this.#take(thought.slice(end + bareReply.length));
  }

  #handOut(): string {
    const visible = this.#visible;
    this.#visible = "";
    this.#hasHandedOut ||= visible.trim() !== "";
    return visible;
  }
}

/** A whole text without its model's thoughts. @param isCut whether it ended at a limit. */
export const withoutThoughts = (
  text: string,
  { isCut = false, thinksFirst = false }: Partial<ThoughtHabits> & { readonly isCut?: boolean } = {},
): string => {
  const filter = new ThoughtFilter({ thinksFirst });
  return filter.push(text) + filter.end(isCut);
};
