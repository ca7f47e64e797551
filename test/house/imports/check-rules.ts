import type { Import } from "./read-imports.ts";

/**
 * Imports that are refused. A folder ends with a slash and stands for all that is below it at any depth; `*` is the name of
 * one folder, and the empty text is everything. Without a slash at its end a text names one module.
 */
export interface ImportRule {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** A folder whose own files may import each other; `*` is the same name on both sides. */
  readonly own?: string;
  /** Whether types may be imported. */
  readonly allowsTypes?: boolean;
  /** Imports that the rule allows, each with its reason. */
  readonly except?: readonly { readonly from: string; readonly to: string; readonly because: string }[];
  readonly because: string;
}

/** The rooms of `shared/`, each with those that it may import. */
export type RoomTable = Readonly<Record<string, readonly string[]>>;

/** The part of a path that is a folder's pattern; `undefined` when the path is not below such a folder. */
const folderIn = (path: string, pattern: string): string | undefined => {
  const names = pattern.split("/").slice(0, -1);
  const found = path.split("/");
  if (found.length <= names.length) return undefined;
  const isBelow = names.every((name, index) => name === "*" || name === found[index]);
  return isBelow ? found.slice(0, names.length).join("/") : undefined;
};

const isBelow = (path: string, pattern: string): boolean =>
  pattern === "" || pattern.endsWith("/") ? folderIn(path, pattern) !== undefined : path === pattern;

const breaks = ({ from, to, isTypeOnly }: Import, rule: ImportRule): boolean => {
  if (isTypeOnly && rule.allowsTypes) return false;
  if (!rule.from.some((folder) => isBelow(from, folder)) || !rule.to.some((folder) => isBelow(to, folder))) {
    return false;
  }
  const own = rule.own === undefined ? undefined : folderIn(from, rule.own);
  if (own !== undefined && isBelow(to, `${own}/`)) return false;
  return !rule.except?.some((exception) => isBelow(from, exception.from) && isBelow(to, exception.to));
};

/** The imports that break a rule, each with the rule's reason. */
export const brokenRules = (imports: readonly Import[], rules: readonly ImportRule[]): string[] =>
  imports.flatMap((entry) =>
    rules
      .filter((rule) => breaks(entry, rule))
      .map(({ because }) => `${entry.from} imports ${entry.to}: ${because}`),
  );

const roomOf = (path: string): string | undefined => /^shared\/([^/]+)\//.exec(path)?.[1];

/** The imports from one room of `shared/` into another that the table does not have. */
export const brokenLayers = (imports: readonly Import[], rooms: RoomTable): string[] =>
  imports.flatMap(({ from, to }) => {
    const [own, other] = [roomOf(from), roomOf(to)];
    if (own === undefined || other === undefined || own === other) return [];
    return rooms[own]?.includes(other) ? [] : [`${from} imports ${to}: ${own} may not import ${other}.`];
  });
