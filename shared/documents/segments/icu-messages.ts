import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { Range } from "./segment.ts";

/** A text of a message that is one of several: for a number, or for a case. */
export interface MessageBranch extends Range {
  readonly isPlural: boolean;
}

/** The branches of a message, in its order, and those that the target language does not have. */
export interface IcuMessage {
  readonly branches: readonly MessageBranch[];
  readonly removed: readonly Range[];
}

const beginning = /\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/;

/** Whether a placeholder is a message with branches. */
export const hasBranches = (written: string): boolean => written.search(beginning) === 0;

/** Whether a message with branches begins among words, and has no end there. */
export const beginsMessage = (words: string): boolean => words.includes("{") && beginning.test(words);

const parseMessage = (written: string): MessageFormatElement[] | undefined => {
  try {
    return parse(written, { captureLocation: true, ignoreTag: true, shouldParseSkeletons: false });
  } catch {
    return undefined;
  }
};

/** The plural categories of a language: `other` only for one that the platform does not know, because it would take those of English. */
const categoriesOf = (language: string, type: Intl.PluralRuleType): readonly string[] =>
  Intl.PluralRules.supportedLocalesOf(language).length > 0
    ? new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories
    : ["other"];

/** Returns the name of a branch with its text, from the blank before it. */
const wholeBranch = (written: string, start: number, end: number): Range => {
  const [, before = ""] = /$(?<=(\s*[^\s{}]+\s*))/.exec(written.slice(0, start)) ?? [];
  return { start: start - before.length, end };
};

/**
 * Reads a message of ICU.
 *
 * @param target its plural categories are left; by default all are.
 * @returns positions in the message; `undefined` for what is no message.
 */
export const readMessage = (written: string, target: string | undefined): IcuMessage | undefined => {
  const [element] = parseMessage(written) ?? [];
  if (element?.type !== TYPE.plural && element?.type !== TYPE.select) return undefined;
  const isPlural = element.type === TYPE.plural;
  const categories =
    element.type === TYPE.plural && target !== undefined
      ? categoriesOf(target, element.pluralType ?? "cardinal")
      : undefined;
  const branches: MessageBranch[] = [];
  const removed: Range[] = [];
  for (const [name, { location }] of Object.entries(element.options)) {
    if (!location) return undefined;
    const [start, end] = [location.start.offset, location.end.offset];
    const isLeft = !categories || /^(?:=|other$)/.test(name) || categories.includes(name);
    if (isLeft) branches.push({ start: start + 1, end: end - 1, isPlural });
    else removed.push(wholeBranch(written, start, end));
  }
  return { branches, removed };
};

/** Returns what a program replaces in a branch, for comparison with its translation; `undefined` when it could not read it. */
export const argumentsIn = (branch: string): string | undefined => {
  const elements = parseMessage(`{a, plural, other {${branch}}}`);
  const [plural] = elements ?? [];
  if (plural?.type !== TYPE.plural || elements?.length !== 1) return undefined;
  const found = plural.options["other"]?.value ?? [];
  return found
    .flatMap((element) => (element.type === TYPE.literal ? [] : ["value" in element ? element.value : "#"]))
    .toSorted()
    .join(" ");
};
