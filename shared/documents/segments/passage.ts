import type { DocumentSegment, Range, SegmentPiece } from "./segment.ts";
import type { PassageReader } from "./syntax.ts";

/** A tag inside a passage. */
interface InlineTag extends Range {
  readonly kind: "tag";
  readonly name: string;
  readonly isClosing: boolean;
}

/** Collects the words and tags of a passage, in the order of the source, until it ends. */
export interface PassageCollector {
  readonly addText: (range: Range) => void;
  readonly addTag: (tag: Omit<InlineTag, "kind">) => void;
  /** Adds what has no end tag, or stays with all that it contains. */
  readonly addAlone: (range: Range) => void;
  readonly end: () => void;
}

/**
 * Returns the tags as masks: pairs where they nest. Others stand alone and keep their order, as browsers accept such markup but
 * no one knows what it would mean in another one.
 */
const pairTags = (
  items: readonly (SegmentPiece | InlineTag)[],
): { readonly pieces: SegmentPiece[]; readonly isPaired: boolean } => {
  const roles = new Map<SegmentPiece | InlineTag, "open" | "close">();
  const open: InlineTag[] = [];
  for (const item of items) {
    if (item.kind !== "tag") continue;
    if (!item.isClosing) open.push(item);
    const opener = item.isClosing && open.at(-1)?.name === item.name ? open.pop() : undefined;
    if (opener) roles.set(opener, "open").set(item, "close");
  }
  let isPaired = true;
  const pieces = items.map((item): SegmentPiece => {
    if (item.kind !== "tag") return item;
    const role = roles.get(item);
    if (!role) isPaired = false;
    return { kind: "mask", role: role ?? "alone", start: item.start, end: item.end };
  });
  return { pieces, isPaired };
};

/** @param add receives the segments of each passage when it ends. */
export const collectPassage = (
  words: PassageReader,
  add: (segments: readonly DocumentSegment[]) => void,
  more: Omit<DocumentSegment, "pieces" | "encode"> = {},
): PassageCollector => {
  let items: (SegmentPiece | InlineTag)[] = [];
  return {
    addText: (range) => {
      if (range.end > range.start) for (const piece of words.read(range)) items.push(piece);
    },
    addTag: (tag) => items.push({ kind: "tag", ...tag }),
    addAlone: ({ start, end }) => items.push({ kind: "mask", role: "alone", start, end }),
    end: () => {
      const { pieces, isPaired } = pairTags(items);
      items = [];
      add(words.segmentsOf(pieces, isPaired ? more : { ...more, isOrdered: true }));
    },
  };
};
