import pLimit from "p-limit";
import { isUntranslated } from "./reply-faults.ts";
import {
  type DocumentSegment,
  type ParsedDocument,
  type SegmentPiece,
  type Translation,
  type TranslationPart,
  writeDocument,
  writtenSegment,
} from "./segment.ts";
import type { Passage, PassageResult } from "./shared-beginning.ts";
import { withoutSharedBeginning } from "./shared-beginning.ts";
import type { UntranslatedReason, UntranslatedSegment } from "./untranslated-segment.ts";

/**
 * Requests one reply to a passage: its translation, or why it is not one. `keep` names the tags that the translation must have, because
 * the first one did not fit; `context` is what is before and after.
 */
export type TranslatePassage = (
  text: string,
  options: { readonly keep?: readonly string[] | undefined; readonly context?: string | undefined },
) => Promise<string | PassageResult>;

/** Numbers start beyond those that the words contain in such tags themselves. */
const firstNumber = (pieces: readonly SegmentPiece[]): number => {
  const text = pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
  const numbers = Array.from(text.matchAll(/<\s*(?:\/\s*)?(\d{1,9})/g), ([, number]) => Number(number));
  return numbers.reduce((highest, number) => Math.max(highest, number), 0) + 1;
};

const isPaired = (piece: SegmentPiece | undefined): boolean =>
  piece?.kind === "mask" && (piece.role === "open" || piece.role === "close");

/** Returns the text of a segment for a model, and the tags in it. */
const maskedText = ({ pieces }: DocumentSegment): Pick<Passage, "text" | "tags"> => {
  const tags = new Map<number, string>();
  const open: number[] = [];
  let next = firstNumber(pieces);
  const text = pieces.map((piece, index) => {
    // A model sees whole words.
    if (piece.kind === "text") return piece.text.replaceAll("\u00AD", "");
    const number = piece.role === "close" ? (open.pop() ?? next) : next;
    if (number === next) next += 1;
    if (piece.role === "open") open.push(number);
    const tag = `<${piece.role === "close" ? "/" : ""}${number}${isPaired(piece) ? "" : "/"}>`;
    tags.set(index, tag);
    return tag;
  });
  return { text: text.join(""), tags };
};

/** Whether indexes of pieces are in the order of the source. */
const isAscending = (order: readonly number[]): boolean =>
  order.every((mask, index) => index === 0 || mask > (order[index - 1] ?? -1));

/** Returns a response as pieces, or why it has none: a tag is missing, doubled or closes another pair, or placeholders have moved. */
const readResponse = (
  response: string,
  { pieces, isOrdered }: DocumentSegment,
  tags: ReadonlyMap<number, string>,
): TranslationPart[] | UntranslatedReason => {
  const masks = new Map(Array.from(tags, ([index, tag]) => [tag, index]));
  const found: TranslationPart[] = [];
  const open: (string | undefined)[] = [];
  const order: number[] = [];
  let position = 0;
  for (const match of response.matchAll(/<(?:\s*(\/))?\s*(\d{1,9})(?:\s*(\/))?\s*>/g)) {
    const [written, closes = "", number, closed = ""] = match;
    const mask = masks.get(`<${closes}${number}${closed}>`);
    if (mask === undefined) continue;
    if (isPaired(pieces[mask])) {
      if (closes === "") open.push(number);
      else if (open.pop() !== number) return "markup_lost";
    }
    if (match.index > position) found.push({ text: response.slice(position, match.index) });
    found.push({ mask });
    order.push(mask);
    position = match.index + written.length;
  }
  if (position < response.length) found.push({ text: response.slice(position) });
  const isComplete = order.length === tags.size && new Set(order).size === tags.size && open.length === 0;
  if (!isComplete || (isOrdered && !isAscending(order))) return "markup_lost";
  const positional = order.filter((mask) => {
    const piece = pieces[mask];
    return piece?.kind === "mask" && piece.isPositional;
  });
  return isAscending(positional) ? found : "order_changed";
};

/** A translation is implausibly long beyond this: the model explains, or repeats itself. */
const maxTranslationLength = (text: string): number => 200 + 4 * text.length;

/** What a response is for one segment: its translation, or why it cannot be one. */
type Judgement = { readonly translation: Translation } | { readonly reason: UntranslatedReason };

/** Control characters and halves of characters, which XML and YAML cannot contain. */
const unwritable = /(?![\t\n\r])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu;

/** Returns a response without such characters that its passage does not have. */
const writable = (response: string, text: string): string =>
  response.replaceAll(unwritable, (character) => (text.includes(character) ? character : ""));

const judge = (
  response: string,
  source: string,
  segment: DocumentSegment,
  { text, tags }: Pick<Passage, "text" | "tags">,
): Judgement => {
  const trimmed = writable(response, text).trim();
  if (!/[\p{L}\p{N}]/u.test(trimmed)) return { reason: "empty" };
  if (/[\n\r\u2028\u2029]/.test(trimmed)) return { reason: "lines_changed" };
  if (trimmed.length > maxTranslationLength(text)) return { reason: "too_long" };
  const translation = readResponse(trimmed, segment, tags);
  if (typeof translation === "string") return { reason: translation };
  const hasStructure = segment.hasStructure?.(writtenSegment(source, segment, translation)) ?? true;
  return hasStructure ? { translation } : { reason: "structure_changed" };
};

/** Returns what a reply to a segment may do with its masks: those of two segments with one text may differ. */
const rolesOf = ({ pieces, isOrdered }: DocumentSegment): unknown[] => [
  isOrdered === true,
  ...pieces.flatMap((piece) => (piece.kind === "mask" ? [`${piece.role}${piece.isPositional ?? ""}`] : [])),
];

/** Returns the distinct passages of a document, in the order of the source. */
export const passagesOf = ({ segments }: ParsedDocument): Passage[] => {
  const passages = new Map<string, Passage & { readonly segments: number[] }>();
  for (const [index, segment] of segments.entries()) {
    if (segment.staying) continue;
    const { text, tags } = maskedText(segment);
    const key = tags.size === 0 ? text : JSON.stringify([text, rolesOf(segment)]);
    const known = passages.get(key);
    if (known) known.segments.push(index);
    else {
      const words = segment.pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : []));
      passages.set(key, { text, tags, characters: [...words.join("")].length, segments: [index] });
    }
  }
  return [...passages.values()];
};

/** In UTF-16 units. Longer passages, such as words in thousands of tags, are too much for a model. */
const maxTextLength = 5_000;

/**
 * Translates a passage. Small models lose tags or do not translate, so a response that does not fit is requested once more, with the
 * tags named.
 *
 * @throws what `translate` throws.
 */
export const translatePassage = async (
  { source, segments }: ParsedDocument,
  passage: Passage,
  translate: TranslatePassage,
  context?: string,
): Promise<PassageResult> => {
  if (passage.text.length > maxTextLength) return { untranslated: "too_long" };
  const segment = segments[passage.segments[0] ?? -1];
  let reason: UntranslatedReason = "markup_lost";
  for (const keep of [undefined, [...passage.tags.values()]]) {
    const replied = await translate(passage.text, { keep, context });
    const result = typeof replied === "string" ? { response: replied } : replied;
    if ("untranslated" in result) {
      reason = result.untranslated;
      if (reason === "too_long") break;
      continue;
    }
    const judged: Judgement = segment ? judge(result.response, source, segment, passage) : { reason };
    if ("translation" in judged) return result;
    reason = judged.reason;
  }
  return { untranslated: reason };
};

/** A translated document. */
export interface TranslatedDocument {
  readonly text: string;
  /** The segments that stayed in their own language. */
  readonly untranslated: readonly UntranslatedSegment[];
  /** Whether the model failed at more than three segments, and at more than half of them. */
  readonly isUntranslated: boolean;
  /** The code points that were translated, each distinct passage once. */
  readonly characters: number;
}

/** What is written into a document. */
interface JudgedReplies extends Pick<TranslatedDocument, "characters" | "untranslated"> {
  readonly translations: ReadonlyMap<DocumentSegment, Translation>;
}

/** Returns the translations of a document's segments; passages without a result have none, and stay as they are. */
export const judgeReplies = (
  document: ParsedDocument,
  passages: readonly Passage[],
  results: readonly (PassageResult | undefined)[],
): JudgedReplies => {
  const translations = new Map<DocumentSegment, Translation>();
  const untranslated = document.segments.flatMap(({ staying }, index): UntranslatedSegment[] =>
    staying ? [{ index, reason: staying }] : [],
  );
  let characters = 0;
  for (const [number, passage] of passages.entries()) {
    const result = results[number];
    if (!result) continue;
    let isUsed = false;
    for (const index of passage.segments) {
      const segment = document.segments[index];
      if (!segment) continue;
      const judged =
        "untranslated" in result
          ? { reason: result.untranslated }
          : judge(result.response, document.source, segment, {
              text: passage.text,
              // Equal words may be cut into other pieces here.
              tags: passage.segments.length > 1 ? maskedText(segment).tags : passage.tags,
            });
      if ("reason" in judged) {
        untranslated.push({ index, reason: judged.reason });
        continue;
      }
      isUsed = true;
      // The same words stay byte by byte, also where the source spreads them over several elements.
      const isSame = "response" in result && result.response.trim() === passage.text;
      const isElsewhere = segment.destination && !segment.destination.isReplaced;
      if (!isSame || isElsewhere) translations.set(segment, judged.translation);
    }
    if (isUsed) characters += passage.characters;
  }
  return {
    translations,
    untranslated: untranslated.toSorted((one, other) => one.index - other.index),
    characters,
  };
};

/** How many passages of a document are translated at a time, so that one caller does not occupy a GPU alone. */
export const passagesAtOnce = 4;

/** Translates a document, with one call for each distinct passage. @throws what `translate` throws. */
export const translateDocument = async (
  document: ParsedDocument,
  translate: TranslatePassage,
): Promise<TranslatedDocument> => {
  const passages = passagesOf(document);
  const results = await pLimit(passagesAtOnce).map(passages, (passage) =>
    translatePassage(document, passage, translate),
  );
  const { translations, untranslated, characters } = judgeReplies(
    document,
    passages,
    withoutSharedBeginning(passages, results),
  );
  return {
    text: writeDocument(document, translations),
    untranslated,
    isUntranslated: isUntranslated(untranslated, document.segments.length),
    characters,
  };
};
