import { dirname } from "node:path/posix";

/** How many words a document has, counted as `wc -w` does. */
export const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;

/** A folder of `shared/` as its room's README may name it: `encode/`, or `encode` in a link or as code. */
const isNamedIn = (readme: string, folder: string): boolean => {
  const name = folder.split("/").at(-1) ?? folder;
  return new RegExp(`(^|[\\s\`(/])${name}(/|\`|\\))`, "m").test(readme);
};

/**
 * The folders of `shared/` that no README describes: a room needs a README of its own, and a folder below it either has one
 * or is named in one above it.
 *
 * @param paths all files of the repository.
 * @param read the text of a file.
 */
export const undescribedFolders = (paths: readonly string[], read: (path: string) => string): string[] => {
  const known = new Set(paths);
  const folders = new Set(paths.filter((path) => /^shared\/[^/]+\//.test(path)).map(dirname));
  return [...folders].toSorted().filter((folder) => {
    if (known.has(`${folder}/README.md`)) return false;
    for (let above = dirname(folder); above !== "shared" && above !== "."; above = dirname(above)) {
      if (known.has(`${above}/README.md`) && isNamedIn(read(`${above}/README.md`), folder)) return false;
    }
    return true;
  });
};
