import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ParseResult, parseSync } from "oxc-parser";

/** A file of the repository. */
export interface SourceFile {
  /** Below the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A module, parsed at most once. */
export interface SourceModule extends SourceFile {
  readonly parsed: ParseResult;
}

/** The modules of a repository, and the paths of all its files. */
export interface Repository {
  readonly root: string;
  readonly paths: readonly string[];
  readonly modules: readonly SourceModule[];
}

/** A module whose text is parsed on first use. */
export const sourceModule = (path: string, text: string): SourceModule => {
  let parsed: ParseResult | undefined;
  return {
    path,
    text,
    get parsed() {
      parsed ??= parseSync(path, text);
      return parsed;
    },
  };
};

/** Whether a path is a module of TypeScript or JavaScript. */
export const isModule = (path: string): boolean => /\.(tsx?|mjs)$/.test(path);

/** Whether a path is code of tests. */
export const isTest = (path: string): boolean => /^(test|infra\/packages\/[^/]+\/test)\//.test(path);

/** Whether a path is code that is deployed, or that deploys: all but tests and the packages of `infra/packages/`. */
export const isProduction = (path: string): boolean => /^(functions|shared|infra(?!\/packages))\//.test(path);

/** The line of an offset in a text, from 1. */
export const lineOf = (text: string, offset: number): number => {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
};

/**
 * Reads the files that git knows or would add.
 *
 * @param root the repository's folder.
 */
export const readRepository = (root: string): Repository => {
  const paths = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)));
  const modules = [...new Set(paths)]
    .filter(isModule)
    .map((path) => sourceModule(path, readFileSync(join(root, path), "utf8")));
  return { root, paths: [...new Set(paths)], modules };
};
