import { isTest } from "../sources.ts";
import type { Import } from "./read-imports.ts";

/** Whom a file outside of `shared/` belongs to: its feature, its package, or the infrastructure. */
const ownerOf = (path: string): string =>
  /^(functions\/[^/]+|infra\/packages\/[^/]+)\//.exec(path)?.[1] ?? path.split("/")[0] ?? path;

/** Browsers load it on the pages of every function. */
const isLoadedByPages = (path: string): boolean => /^shared\/pages\/client\/[^/]+\.ts$/.test(path);

/**
 * The files of `shared/` that a single feature, package or the infrastructure uses, directly or through other files of
 * `shared/`. Tests are no users.
 *
 * @returns each file with its user; files that nothing uses are left to knip.
 */
export const singleUsers = (imports: readonly Import[]): { file: string; user: string }[] => {
  const importers = Map.groupBy(
    imports.filter(({ from, to }) => to.startsWith("shared/") && !isTest(from)),
    ({ to }) => to,
  );
  const usersOf = (file: string, seen = new Set<string>()): Set<string> => {
    const users = new Set<string>();
    if (seen.has(file)) return users;
    seen.add(file);
    for (const { from } of importers.get(file) ?? []) {
      if (!from.startsWith("shared/") || isLoadedByPages(from)) users.add(ownerOf(from));
      else for (const user of usersOf(from, seen)) users.add(user);
    }
    return users;
  };
  return [...importers.keys()].flatMap((file) => {
    const [user, ...others] = usersOf(file);
    return user !== undefined && others.length === 0 ? [{ file, user }] : [];
  });
};
