import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Modules that a file imports, within the project. */
const importsOf = (root: string, file: string): string[] => {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g)].flatMap(([, specifier = ""]) => {
    const imported = relative(root, join(root, dirname(file), specifier));
    return existsSync(join(root, imported)) ? [imported] : [];
  });
};

/**
 * Finds the tests that reach a file through imports, those with the shortest path first.
 *
 * @param root the project's folder
 * @param patterns which tests are considered
 */
export const relatedTests = (root: string, patterns: readonly string[]): ((file: string) => string[]) => {
  const tests = globSync([...patterns], { cwd: root }).filter(
    (file) => !/\.(?:endurance|nightly)\.test\.ts$/.test(file),
  );
  const imports = new Map<string, string[]>();
  const distances = new Map(
    tests.map((test) => {
      const reached = new Map([[test, 0]]);
      for (const [file, distance] of reached) {
        if (!/\.(tsx?|mjs)$/.test(file)) continue;
        const next = imports.get(file) ?? importsOf(root, file);
        imports.set(file, next);
        for (const one of next) if (!reached.has(one)) reached.set(one, distance + 1);
      }
      return [test, reached];
    }),
  );
  return (file) =>
    [...distances]
      .flatMap(([test, reached]) => ({ test, distance: reached.get(file) ?? Number.POSITIVE_INFINITY }))
      .filter(({ distance }) => Number.isFinite(distance))
      .toSorted((a, b) => a.distance - b.distance)
      .map(({ test }) => test);
};
