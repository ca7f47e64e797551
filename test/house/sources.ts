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

/** The paths of a repository, and the files with code, comments or prose. */
export interface Repository {
  readonly paths: readonly string[];
  readonly files: readonly SourceFile[];
  /** Those of the files that are modules. */
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

/** Whether a path is code of the packages, without their tests. */
export const isPackage = (path: string): boolean => /^infra\/packages\//.test(path) && !isTest(path);

/** Whether a path is code that is deployed, or that deploys: all but tests and the packages of `infra/packages/`. */
export const isProduction = (path: string): boolean => /^(functions|shared|infra(?!\/packages))\//.test(path);

/** The line of an offset in a text, from 1. */
export const lineOf = (text: string, offset: number): number => {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
};

const isText = (path: string): boolean =>
  /\.(tsx?|mjs|md|css|py|yml)$/.test(path) || /\/texts\/\w+\.json$/.test(path) || path === ".ci/run";

/**
 * A repository of these files.
 *
 * @param read the text of a file.
 */
export const repositoryOf = (paths: readonly string[], read: (path: string) => string): Repository => {
  const files = paths
    .filter(isText)
    .map((path) => (isModule(path) ? sourceModule(path, read(path)) : { path, text: read(path) }));
  return { paths, files, modules: files.filter((file) => "parsed" in file) };
};

/**
 * Reads the files that git tracks or would add.
 *
 * @param root the repository's folder.
 */
export const readRepository = (root: string): Repository => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  }).split("\n");
  const paths = [...new Set(listed)].filter((path) => path !== "" && existsSync(join(root, path)));
  return repositoryOf(paths, (path) => readFileSync(join(root, path), "utf8"));
};
